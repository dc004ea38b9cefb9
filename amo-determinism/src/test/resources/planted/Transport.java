package javax.mail;

/** In the place of the library. */
public class Transport {
    public static void send(Object message) {}
}
