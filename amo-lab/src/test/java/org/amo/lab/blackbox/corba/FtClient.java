package org.amo.lab.blackbox.corba;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import matrix.Everything;
import matrix.EverythingHelper;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TIMEOUT;

/**
 * A client of a foreign ORB that sends FT_REQUEST and repeats by itself: {@code FtClient NAME A B CUT}. A and B are
 * references to one object by two members; the connection to CUT breaks when the reply is on its way. Says
 * {@code WHAT: FIRST SECOND} for what was sent twice.
 */
public final class FtClient {
    private FtClient() {}

    public static void main(String[] args) throws Exception {
        ORB orb = ORB.init(new String[0], System.getProperties());
        Everything atA = EverythingHelper.unchecked_narrow(orb.string_to_object(args[1]));
        Everything atB = EverythingHelper.unchecked_narrow(orb.string_to_object(args[2]));
        Everything cut = EverythingHelper.unchecked_narrow(orb.string_to_object(args[3]));
        long expiration = System.currentTimeMillis() + 30_000;

        FtRequestInterceptor.call(new FtRequestInterceptor.Call(args[0], 7, expiration));
        System.out.println("one after the other: " + atA.count(5) + " " + atB.count(5));
        System.out.println("another body: " + refused(() -> atB.count(6)));

        FtRequestInterceptor.call(new FtRequestInterceptor.Call(args[0], -3, expiration));
        System.out.println("reply lost: " + repeated(cut, atB));

        FtRequestInterceptor.Call together = new FtRequestInterceptor.Call(args[0], 12, expiration);
        Executor threads = task -> new Thread(task).start();
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> slow(together, atA), threads);
        CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> slow(together, atB), threads);
        System.out.println("together: " + first.get(30, TimeUnit.SECONDS) + " " + second.get(30, TimeUnit.SECONDS));

        FtRequestInterceptor.call(new FtRequestInterceptor.Call(args[0], 13, System.currentTimeMillis() - 5_000));
        System.out.println("expired: " + refused(() -> atA.count(100)));
        FtRequestInterceptor.call(null);
        System.out.println("state: " + atA.state());
        System.exit(0);
    }

    private static int slow(FtRequestInterceptor.Call call, Everything target) {
        FtRequestInterceptor.call(call);
        return target.slow(11, 700);
    }

    private static String repeated(Everything cut, Everything other) {
        try {
            return "nothing was lost: " + cut.count(7);
        } catch (COMM_FAILURE e) {
            return "COMM_FAILURE " + other.count(7);
        }
    }

    private static String refused(Runnable call) {
        try {
            call.run();
            return "not refused";
        } catch (BAD_PARAM | TIMEOUT e) {
            return e.getClass().getSimpleName() + " "
                    + List.of("YES", "NO", "MAYBE").get(e.completed.value());
        }
    }
}
