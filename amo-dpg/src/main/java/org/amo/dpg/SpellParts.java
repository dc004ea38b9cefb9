package org.amo.dpg;

/** Makes the parts of a {@link Spell} that decide about the order and the bodies. A subclass may make others. */
class SpellParts {
    PrecedenceGraph graph(int maxVertices) {
        return new PrecedenceGraph(maxVertices);
    }

    Bodies bodies(Life life, Knowledge knowledge, Sites sites) {
        return new Bodies(life, knowledge, sites);
    }

    Reception reception(Life life, Knowledge knowledge, Sites sites, Recovery recovery, long inferFromMicros) {
        return new Reception(life, knowledge, sites, recovery, inferFromMicros);
    }

    Incorporation incorporation(Life life, Knowledge knowledge, Sites sites) {
        return new Incorporation(life, knowledge, sites);
    }

    Delivery delivery(
            Life life, Knowledge knowledge, Sites sites, Bodies bodies, Recovery recovery, Heartbeat heartbeat) {
        return new Delivery(life, knowledge, sites, bodies, recovery, heartbeat);
    }

    ReportIntake intake(Life life, Knowledge knowledge, Sites sites, Reception reception, Incorporation incorporation) {
        return new ReportIntake(life, knowledge, sites, reception, incorporation);
    }
}
