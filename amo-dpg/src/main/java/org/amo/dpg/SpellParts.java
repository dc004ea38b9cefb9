package org.amo.dpg;

/** Makes the parts of a {@link Spell} that decide about the order and the bodies. A subclass may make others. */
class SpellParts {
    PrecedenceGraph graph(int maxVertices) {
        return new PrecedenceGraph(maxVertices);
    }

    PayloadBuffers bodies(SiteContext life, OrderState knowledge, Sites sites) {
        return new PayloadBuffers(life, knowledge, sites);
    }

    Reception reception(SiteContext life, OrderState knowledge, Sites sites, Recovery recovery, long inferFromMicros) {
        return new Reception(life, knowledge, sites, recovery, inferFromMicros);
    }

    Incorporation incorporation(SiteContext life, OrderState knowledge, Sites sites) {
        return new Incorporation(life, knowledge, sites);
    }

    LocalDelivery delivery(
            SiteContext life,
            OrderState knowledge,
            Sites sites,
            PayloadBuffers bodies,
            Recovery recovery,
            Heartbeat heartbeat) {
        return new LocalDelivery(life, knowledge, sites, bodies, recovery, heartbeat);
    }

    ReportIntake intake(
            SiteContext life, OrderState knowledge, Sites sites, Reception reception, Incorporation incorporation) {
        return new ReportIntake(life, knowledge, sites, reception, incorporation);
    }
}
