package javax.rmi.CORBA;

import java.rmi.Remote;

/** Offers the parts of RMI over IIOP that JacORB uses: the names of types, and classes by name. */
public final class Util {
    private static final ValueHandler NAMES_ONLY = new IdlValueHandler();

    private Util() {}

    public static ValueHandler createValueHandler() {
        return NAMES_ONLY;
    }

    /**
     * Loads a class by the thread's class loader, then by the given one, then by this class's own. Nothing is ever
     * loaded from a code base that a message names.
     */
    public static Class<?> loadClass(String name, String ignoredCodebase, ClassLoader loader)
            throws ClassNotFoundException {
        ClassLoader[] candidates = {Thread.currentThread().getContextClassLoader(), loader, Util.class.getClassLoader()
        };
        ClassNotFoundException failure = new ClassNotFoundException(name);
        for (ClassLoader candidate : candidates) {
            if (candidate != null) {
                try {
                    return Class.forName(name, false, candidate);
                } catch (ClassNotFoundException e) {
                    failure.addSuppressed(e);
                }
            }
        }
        throw failure;
    }

    /** None: classes do not travel. */
    public static String getCodebase(Class<?> type) {
        return null;
    }

    /** None: no object is exported. */
    public static Tie getTie(Remote target) {
        return null;
    }

    @SuppressWarnings("DoNotCallSuggester") // JacORB calls it.
    public static void registerTarget(Tie tie, Remote target) {
        throw IdlValueHandler.notImplemented();
    }

    @SuppressWarnings("DoNotCallSuggester") // JacORB calls it.
    public static void unexportObject(Remote target) {
        throw IdlValueHandler.notImplemented();
    }
}
