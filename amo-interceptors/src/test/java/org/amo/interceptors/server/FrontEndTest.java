package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.ORB;

/** {@link EveryType} by a client that numbers its requests: they are taken in the thread that reads them. */
class FrontEndTest extends EveryType {
    private static final Map<String, String> NUMBERING =
            Map.of("org.omg.PortableInterceptor.ORBInitializerClass." + NumberingClient.class.getName(), "");

    FrontEndTest() {
        super("frontEnd", NUMBERING);
    }

    /** JacORB 3.9 reads such an exception twice in a client that has an interceptor, and fails at the second time. */
    @Override
    void checkDetailed(Exception thrown) {
        assertTrue(thrown instanceof MARSHAL, thrown.toString());
    }

    @Test
    void afterTheFirstRequestOfAConnectionNoThreadWaits() {
        ToyGroup group = ToyGroup.named("frontEnd");
        calls.count(0);
        long blocking = group.blocking();
        long taken = group.taken();
        for (int i = 0; i < 20; i++) {
            calls.count(0);
        }
        assertEquals(blocking, group.blocking());
        assertEquals(taken + 20, group.taken());
        calls.note("a oneway goes with the calls");
        calls.count(0);
        assertEquals(blocking, group.blocking());
        assertEquals(taken + 22, group.taken());
    }

    @Test
    void manyThreadsOnSeveralConnectionsAreAllAnswered() throws Exception {
        String reference = client.object_to_string(calls);
        int before = calls.count(0);
        List<ORB> orbs = new ArrayList<>();
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<Integer>> results = new ArrayList<>();
        for (int connection = 0; connection < 3; connection++) {
            ORB orb = Server.client(NUMBERING);
            orbs.add(orb);
            Calls target = CallsHelper.narrow(orb.string_to_object(reference));
            for (int thread = 0; thread < 16; thread++) {
                Callable<Integer> caller = () -> {
                    int last = 0;
                    for (int i = 0; i < 200; i++) {
                        int total = target.count(1);
                        assertTrue(total > last);
                        last = total;
                    }
                    return last;
                };
                results.add(threads.submit(caller));
            }
        }
        for (Future<Integer> result : results) {
            result.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
        assertEquals(before + 3 * 16 * 200, calls.count(0));
        orbs.forEach(orb -> orb.shutdown(true));
    }
}
