package org.amo.lab.blackbox.corba;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import matrix.Everything;
import matrix.EverythingHelper;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Request;
import org.omg.CORBA.TCKind;
import org.omg.CosNaming.NamingContextExt;
import org.omg.CosNaming.NamingContextExtHelper;

/**
 * A client of another shape, which knows nothing of amo: {@code ShopClient THREADS CALLS NAME...}. Two ORBs, many threads
 * on each, objects by their names, and calls by stub, dynamically and deferred. Says {@code begun} when the first calls
 * were answered and {@code counted N} at the end.
 */
public final class ShopClient {
    private ShopClient() {}

    public static void main(String[] args) throws Exception {
        String nameService =
                Files.readString(Path.of(System.getProperty("shop.names"))).strip();
        int threads = Integer.parseInt(args[0]);
        int calls = Integer.parseInt(args[1]);
        AtomicInteger counted = new AtomicInteger();
        List<Thread> all = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            ORB orb = ORB.init(new String[0], null);
            NamingContextExt names = NamingContextExtHelper.narrow(orb.string_to_object(nameService));
            for (int t = 0; t < threads; t++) {
                Everything target = EverythingHelper.narrow(names.resolve_str(args[2 + t % (args.length - 2)]));
                Thread thread = new Thread(() -> {
                    for (int call = 0; call < calls; call++) {
                        count(orb, target, call);
                        if (counted.incrementAndGet() == 2 * threads) {
                            System.out.println("begun");
                        }
                    }
                });
                thread.setUncaughtExceptionHandler((failed, failure) -> {
                    failure.printStackTrace();
                    synchronized (failures) {
                        failures.add(failure);
                    }
                });
                all.add(thread);
            }
        }
        all.forEach(Thread::start);
        for (Thread thread : all) {
            thread.join();
        }
        System.out.println("counted " + counted);
        System.exit(failures.isEmpty() ? 0 : 1);
    }

    private static void count(ORB orb, Everything target, int call) {
        if (call % 4 == 0) {
            target.count(1);
            return;
        }
        if (call % 4 == 1) {
            target.slow(1, 0);
            return;
        }
        Request request = target._request("count");
        request.add_in_arg().insert_long(1);
        request.set_return_type(orb.get_primitive_tc(TCKind.tk_long));
        if (call % 4 == 2) {
            request.invoke();
        } else {
            request.send_deferred();
            try {
                request.get_response();
            } catch (org.omg.CORBA.WrongTransaction e) {
                throw new IllegalStateException(e);
            }
        }
        if (request.env().exception() instanceof RuntimeException e) {
            throw e;
        }
    }
}
