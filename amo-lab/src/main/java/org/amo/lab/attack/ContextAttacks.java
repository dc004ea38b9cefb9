package org.amo.lab.attack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.amo.base.ClientId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;

/** Service contexts: too many, too long, malformed, and those of clients that there are not. */
final class ContextAttacks {
    private static final int FT_REQUEST = 13;

    /** 15 October 1582 to 1 January 1970, in units of 100 ns. */
    private static final long UNIX_EPOCH = 0x01B2_1DD2_1381_4000L;

    private ContextAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.onBank(
                        "context-huge",
                        "requests with 5,000 service contexts, or one of 1 MB, some of them amo's own, 40 a second",
                        ContextAttacks::huge),
                Attack.onBank(
                        "context-malformed",
                        "amo's own context and FT_REQUEST cut short, changed, lengthened, twice, 500 a second",
                        ContextAttacks::malformed),
                Attack.onBank(
                                "ft-invented",
                                "20,000 FT_REQUESTs of invented clients, a third of which expire in centuries or have expired, 1,000 a"
                                        + " second",
                                ContextAttacks::ftInvented)
                        .thatLeaves("invented clients, kept for the retention"));
    }

    private static void huge(Target target, AttackRate pace) throws IOException, InterruptedException {
        List<Giop.Context> many = Giop.contexts(5_000, 0x7000_0000, new byte[16]);
        byte[] large = new byte[1 << 20];
        int[] ids = {0x7000_0000, RequestContext.CONTEXT_ID, FT_REQUEST, 1};
        GiopAttacks.flood(target, pace, 40, (key, i) -> {
            List<Giop.Context> contexts = i % 4 == 0 ? List.of(new Giop.Context(ids[i / 4 % ids.length], large)) : many;
            return Giop.request(i, key, "deposit", contexts, RawClient.deposit(target.account()));
        });
    }

    private static void malformed(Target target, AttackRate pace) throws IOException, InterruptedException {
        Random random = target.random();
        FinishedNumbers finished = FinishedNumbers.of(3, 5, 6, 9, 12);
        GiopAttacks.flood(target, pace, 500, (key, i) -> {
            List<Giop.Context> contexts = new ArrayList<>();
            if (i % 2 == 0) {
                byte[] right = ftRequest("x".repeat(random.nextInt(6_000)), i, 10_000);
                contexts.add(new Giop.Context(FT_REQUEST, damaged(random, right)));
            } else {
                byte[] right = new RequestContext(
                                new ClientId(random.nextLong(), i),
                                Optional.of(new RequestContext.Call(20, 1_000, 2_000)),
                                finished)
                        .encode();
                contexts.add(new Giop.Context(RequestContext.CONTEXT_ID, damaged(random, right)));
                if (i % 5 == 0) {
                    contexts.add(new Giop.Context(RequestContext.CONTEXT_ID, right));
                }
            }
            return Giop.request(i, key, "deposit", contexts, RawClient.deposit(target.account()));
        });
    }

    private static byte[] damaged(Random random, byte[] right) {
        byte[] bytes =
                switch (random.nextInt(3)) {
                    case 0 -> java.util.Arrays.copyOf(right, random.nextInt(right.length));
                    case 1 -> java.util.Arrays.copyOf(right, right.length + random.nextInt(500));
                    default -> right.clone();
                };
        for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    private static void ftInvented(Target target, AttackRate pace) throws IOException, InterruptedException {
        long[] odd = {0, -1_000, -86_400_000, 3_155_760_000_000L, 100L * 3_155_760_000_000L, 1};
        Random random = target.random();
        GiopAttacks.flood(target, pace, 1_000, (key, i) -> {
            long life = i % 3 == 0 ? odd[i / 3 % odd.length] : 60_000;
            return ftCall(target, key, i, ftRequest(Long.toHexString(random.nextLong()), i % 20_000, life));
        });
    }

    private static byte[] ftCall(Target target, byte[] key, int id, byte[] context) {
        return Giop.request(
                id,
                key,
                "deposit",
                List.of(new Giop.Context(FT_REQUEST, context)),
                RawClient.deposit(target.account()));
    }

    private static byte[] ftRequest(String client, int retention, long lifeMillis) {
        long expires = UNIX_EPOCH + (System.currentTimeMillis() + lifeMillis) * 10_000;
        return Cdr.encapsulation()
                .string(client)
                .uLong(retention)
                .longLong(expires)
                .toBytes();
    }
}
