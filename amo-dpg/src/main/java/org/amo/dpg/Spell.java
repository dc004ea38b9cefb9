package org.amo.dpg;

/**
 * A presence spell: all that a site does and knows between two absences. A site that begins anew has a new one, so that
 * nothing of the old one can stay by mistake; lasting state is in {@link SiteContext}.
 */
final class Spell {
    final OrderState knowledge;
    final Sites sites;
    final Heartbeat heartbeat;
    final PayloadBuffers bodies;
    final Recovery recovery;
    final Reception reception;
    final Incorporation incorporation;
    final LocalDelivery delivery;
    final ReportIntake intake;
    final Listening listening;
    final ReportWriter writer;
    private final SiteContext life;

    /** @param inferFromMicros until then own messages of an earlier spell may be on their way */
    Spell(SiteContext life, long origin, long inferFromMicros, long nowMicros) {
        this.life = life;
        DpgOptions options = life.options;
        knowledge = new OrderState(options, life.parts, origin);
        sites = new Sites(options, nowMicros);
        heartbeat = new Heartbeat(life, sites, origin, nowMicros);
        bodies = life.parts.bodies(life, knowledge, sites);
        recovery = new Recovery(life, knowledge, sites, bodies);
        reception = life.parts.reception(life, knowledge, sites, recovery, inferFromMicros);
        incorporation = life.parts.incorporation(life, knowledge, sites);
        delivery = life.parts.delivery(life, knowledge, sites, bodies, recovery, heartbeat);
        intake = life.parts.intake(life, knowledge, sites, reception, incorporation);
        listening = new Listening(life, knowledge, sites, bodies, delivery, intake);
        writer = new ReportWriter(life, knowledge, sites, recovery);
    }

    boolean isAnchored() {
        return knowledge.anchored;
    }

    /** This site did not run for so long: what comes now may have lain unread. */
    void excuse(long micros, long nowMicros) {
        if (sites.excuse(micros, nowMicros)) {
            knowledge.onlyAdopt(sites.clockMicros());
        }
    }

    /** Draws the conclusions of an input. */
    void proceed(long nowMicros) {
        long chosen = life.counters.chosen;
        incorporation.incorporate(nowMicros);
        if (life.counters.chosen > chosen) {
            heartbeat.onChosen(nowMicros);
        }
        delivery.deliver(nowMicros);
        delivery.conclude(nowMicros);
        life.counters.contradictions += knowledge.graph.takeContradictions();
        life.counters.mostVertices = Math.max(life.counters.mostVertices, knowledge.vertices());
    }

    /** When something is due if nothing more is heard, not counting messages that wait to be sent. */
    long nextMicros(long nowMicros) {
        long next = Math.min(heartbeat.dueMicros(), sites.nextAbsenceMicros());
        if (!isAnchored()) {
            return Math.min(next, listening.nextMicros());
        }
        next = Math.min(next, delivery.nextMicros(nowMicros));
        return Math.min(next, incorporation.nextMicros(nowMicros));
    }
}
