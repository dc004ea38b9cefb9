package org.amo.examples.grid;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A site of the resource-sharing application of Konorski, section 2. It asks for some units, operates when it has got them, and lets
 * them go; meanwhile it hands units that it keeps to the requests of others, first come, first served. When all sites see requests in
 * one order, units go to one site at a time; when they do not, several collect units side by side, and some wait in vain until their
 * time is up.
 *
 * <p>It needs no group membership: requests expire, and another site claims a unit without news. A message about a unit
 * counts if it is newer than the known state. One thread owns it; times are microseconds.
 */
final class GridSite {
    /** After so many wait time-outs without a word about a unit another site takes it over. */
    private static final int CLAIM_AFTER = 3;

    private final int id;
    private final GridSettings settings;
    private final Random random;
    private final Unit[] units;
    private final Map<Request, Waiting> queue = new LinkedHashMap<>();

    private long number;
    private int need;
    private boolean requested;
    private long requestedMicros;
    private long operatesUntilMicros;
    private boolean operates;
    private long startAtMicros;
    private long done;
    private long timeouts;

    private record Request(int site, long number) {}

    private record Waiting(int need, long sinceMicros) {}

    private static final class Unit {
        long generation;
        int holder;
        boolean free = true;
        long number;
        long heardMicros;
        /** Of the last that this site said about it: not said twice before it is delivered. */
        long saidGeneration;

        long saidMicros;
    }

    GridSite(int id, GridSettings settings, long seed, long nowMicros) {
        this.id = id;
        this.settings = settings;
        this.random = new Random(seed);
        // Another life of the site must not take up a number of an earlier one.
        this.number = Math.max(1, nowMicros) << 8;
        this.startAtMicros = nowMicros;
        this.units = new Unit[settings.units()];
        for (int i = 0; i < units.length; i++) {
            units[i] = new Unit();
            units[i].holder = i % settings.sites();
            units[i].heardMicros = nowMicros;
        }
    }

    long done() {
        return done;
    }

    /** Requests that waited in vain. */
    long timeouts() {
        return timeouts;
    }

    /** As this site knows it: of each unit the site that has got it for a request, from 1, or "-". */
    String holders() {
        StringBuilder holders = new StringBuilder();
        for (Unit unit : units) {
            holders.append(holders.isEmpty() ? "" : " ").append(unit.free ? "-" : Integer.toString(unit.holder + 1));
        }
        return holders.toString();
    }

    /** Handles a delivered message. Returns the site's messages in response. */
    List<GridMessage> onMessage(GridMessage message, long nowMicros) {
        switch (message.kind()) {
            case REQUEST ->
                queue.putIfAbsent(
                        new Request(message.from(), message.number()), new Waiting(message.need(), nowMicros));
            case END -> queue.remove(new Request(message.from(), message.number()));
            case ALLOCATION, RELEASE, CLAIM -> onUnit(message, nowMicros);
        }
        return onTick(nowMicros);
    }

    private void onUnit(GridMessage message, long nowMicros) {
        if (message.unit() < 0 || message.unit() >= units.length) {
            return;
        }
        Unit unit = units[message.unit()];
        if (message.generation() > unit.generation) {
            unit.generation = message.generation();
            unit.free = message.kind() != GridMessage.Kind.ALLOCATION;
            unit.holder = unit.free ? message.from() : message.to();
            unit.number = message.number();
            unit.heardMicros = nowMicros;
        }
    }

    /** Handles the passage of time. Returns the site's messages in response. */
    List<GridMessage> onTick(long nowMicros) {
        List<GridMessage> said = new ArrayList<>();
        queue.values().removeIf(waiting -> nowMicros - waiting.sinceMicros() > 2 * settings.waitMicros());
        work(said, nowMicros);
        keep(said, nowMicros);
        claim(said, nowMicros);
        return said;
    }

    /** As one that wants units. */
    private void work(List<GridMessage> said, long nowMicros) {
        List<Integer> collected = new ArrayList<>();
        for (int i = 0; i < units.length; i++) {
            Unit unit = units[i];
            if (unit.holder == id && !unit.free) {
                if (requested && unit.number == number && (operates || collected.size() < need)) {
                    collected.add(i);
                } else {
                    say(said, i, GridMessage.release(id, i, unit.generation + 1), nowMicros);
                }
            }
        }
        if (operates && nowMicros >= operatesUntilMicros) {
            done++;
            end(said, collected, nowMicros);
            startAtMicros = nowMicros;
        } else if (requested && !operates && collected.size() >= need) {
            operates = true;
            operatesUntilMicros = nowMicros + settings.operationMicros();
        } else if (requested && !operates && nowMicros - requestedMicros > settings.waitMicros()) {
            timeouts++;
            end(said, collected, nowMicros);
            startAtMicros = nowMicros + (long) (random.nextDouble() * settings.waitMicros() / 4);
        }
        if (!requested && nowMicros >= startAtMicros) {
            requested = true;
            requestedMicros = nowMicros;
            number++;
            need = 1 + random.nextInt(settings.mostNeed());
            said.add(GridMessage.request(id, number, need));
        }
    }

    private void end(List<GridMessage> said, List<Integer> collected, long nowMicros) {
        operates = false;
        requested = false;
        for (int each : collected) {
            say(said, each, GridMessage.release(id, each, units[each].generation + 1), nowMicros);
        }
        said.add(GridMessage.end(id, number));
    }

    /** As one that keeps units: each goes to the first request that lacks some. */
    private void keep(List<GridMessage> said, long nowMicros) {
        for (int i = 0; i < units.length; i++) {
            Unit unit = units[i];
            if (unit.holder != id || !unit.free) {
                continue;
            }
            for (Map.Entry<Request, Waiting> each : queue.entrySet()) {
                Request request = each.getKey();
                if (held(request) < each.getValue().need) {
                    say(
                            said,
                            i,
                            GridMessage.allocation(id, i, unit.generation + 1, request.site, request.number),
                            nowMicros);
                    break;
                }
            }
        }
    }

    private int held(Request request) {
        int held = 0;
        for (Unit unit : units) {
            held += !unit.free && unit.holder == request.site && unit.number == request.number ? 1 : 0;
        }
        return held;
    }

    private void say(List<GridMessage> said, int index, GridMessage message, long nowMicros) {
        Unit unit = units[index];
        boolean repeated = unit.saidGeneration >= message.generation();
        if (!repeated || nowMicros - unit.saidMicros > settings.waitMicros()) {
            unit.saidGeneration = message.generation();
            unit.saidMicros = nowMicros;
            said.add(message);
        }
    }

    /** Units of sites that have gone. Sites wait differently long, so that one is first. */
    private void claim(List<GridMessage> said, long nowMicros) {
        long patience = CLAIM_AFTER * settings.waitMicros() * (settings.sites() + id) / settings.sites();
        for (int i = 0; i < units.length; i++) {
            Unit unit = units[i];
            boolean idle = unit.free && queue.isEmpty();
            if (unit.holder != id && !idle && nowMicros - unit.heardMicros > patience) {
                say(said, i, GridMessage.claim(id, i, unit.generation + 1), nowMicros);
            }
        }
    }
}
