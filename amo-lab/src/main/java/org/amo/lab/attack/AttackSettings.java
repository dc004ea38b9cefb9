package org.amo.lab.attack;

/**
 * How attacks are run.
 *
 * @param heapBytes largest heap of each member
 * @param durationMillis of one attack, apart from the time before and after it
 * @param seed chooses the calls of honest clients and the random values of attacks
 */
record AttackSettings(long heapBytes, long durationMillis, long seed) {
    /** Clients call for so long, at least, before anything is measured; until then too little has run often enough to be compiled. */
    long leastWarmUpMillis() {
        return durationMillis / 3;
    }

    /** At most: a group on two processors needs half of it. */
    long mostWarmUpMillis() {
        return 3 * durationMillis;
    }

    /** How often the compilers are looked at meanwhile. */
    long warmUpTurnMillis() {
        return durationMillis / 12;
    }

    /** How long honest clients are watched without an attack, before it and again after it. */
    long calmMillis() {
        return Math.max(2_000, durationMillis / 6);
    }
}
