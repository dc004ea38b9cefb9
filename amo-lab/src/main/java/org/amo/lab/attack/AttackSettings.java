package org.amo.lab.attack;

/**
 * How attacks are run.
 *
 * @param heapBytes largest heap of each member
 * @param durationMillis of one attack, apart from the time before and after it
 * @param seed chooses the calls of honest clients and the random values of attacks
 */
record AttackSettings(long heapBytes, long durationMillis, long seed) {
    /**
     * Clients call for so long before anything is measured: in a third of a minute most of their code and the members' is compiled.
     * After 2 s the compilers still took two fifths of a machine with two processors, and an attack was blamed for it.
     */
    long warmUpMillis() {
        return durationMillis / 3;
    }

    /** How long honest clients are watched without an attack, before it and again after it. */
    long calmMillis() {
        return Math.max(2_000, durationMillis / 6);
    }
}
