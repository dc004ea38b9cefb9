package org.amo.wrap;

import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.LocalObject;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitializer;

/** Stands for an initializer of amo where the ORB looks it up by its name. */
abstract class IsolatedInitializer extends LocalObject implements ORBInitializer {
    private static final long serialVersionUID = 1L;

    private final transient ORBInitializer isolated;

    IsolatedInitializer(String className) {
        isolated = make(className);
    }

    /** @throws INITIALIZE if amo's jars have no such class */
    private static ORBInitializer make(String className) {
        try {
            return IsolatedAmo.type(className)
                    .asSubclass(ORBInitializer.class)
                    .getConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            INITIALIZE failure = new INITIALIZE("amo cannot be loaded (" + e + ") from " + WrappedProgram.LIBRARIES
                    + "=" + System.getProperty(WrappedProgram.LIBRARIES) + "; start the program by amo wrap");
            failure.initCause(e);
            throw failure;
        }
    }

    @Override
    public final void pre_init(ORBInitInfo info) {
        isolated.pre_init(info);
    }

    @Override
    public final void post_init(ORBInitInfo info) {
        isolated.post_init(info);
    }
}
