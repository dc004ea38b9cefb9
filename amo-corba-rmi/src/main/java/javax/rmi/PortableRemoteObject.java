package javax.rmi;

/** Narrows references that have a Java interface as their type. */
public final class PortableRemoteObject {
    private PortableRemoteObject() {}

    /** The object itself, if it has the type. */
    public static Object narrow(Object from, Class<?> to) {
        return to.cast(from);
    }
}
