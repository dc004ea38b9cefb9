package org.amo.lab.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Runs another main class as long as the parent process lives: {@code ParentWatch Main args}. The parent holds the
 * other end of standard input; its death, even by kill -9, closes it, and then this process stops at once. It needs the JDK
 * alone: the class path of a wrapped program has nothing else of amo.
 */
final class ParentWatch {
    private static final int STOPPED = 143;

    private ParentWatch() {}

    public static void main(String[] args) throws Throwable {
        InputStream leash = System.in;
        System.setIn(InputStream.nullInputStream());
        Thread watch = new Thread(() -> haltAtEnd(leash), "amo-leash");
        watch.setDaemon(true);
        watch.start();
        String[] rest = new String[args.length - 1];
        System.arraycopy(args, 1, rest, 0, rest.length);
        Method main = Class.forName(args[0]).getMethod("main", String[].class);
        main.setAccessible(true); // as java itself does: the class need not be public
        try {
            main.invoke(null, (Object) rest);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static void haltAtEnd(InputStream leash) {
        try {
            while (leash.read() >= 0) {
                // The parent's bytes have no meaning; only the end of the stream has.
            }
        } catch (IOException e) {
            // A broken leash is a cut leash.
        }
        // Not exit: shutdown hooks could wait for a group that is being torn down.
        Runtime.getRuntime().halt(STOPPED);
    }
}
