package javax.rmi;

/** Narrowing of references whose type is a Java interface. */
public final class PortableRemoteObject {
    private PortableRemoteObject() {}

    /** The object itself, if it has the type. */
    public static Object narrow(Object from, Class<?> to) {
        return to.cast(from);
    }
}
