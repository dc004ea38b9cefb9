package org.amo.determinism.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;

/** Looks at the superclasses of a class that is about to be loaded, without loading them. Any thread. */
final class Superclasses {
    private static final String OBJECT = "java/lang/Object";
    private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();

    private final Predicate<String> isExcluded;
    private final Map<String, Boolean> ofJdk = new ConcurrentHashMap<>();

    /** @param isExcluded whether classes of this name are left as they are */
    Superclasses(Predicate<String> isExcluded) {
        this.isExcluded = isExcluded;
    }

    /**
     * Whether a subclass would have the identity hash of {@link Object}. It would not have that of another class of the
     * application, which has a number instead.
     */
    boolean leaveIdentityHash(@Nullable ClassLoader loader, String name) {
        String next = name;
        while (!next.equals(OBJECT)) {
            if (PLATFORM.getResource(next + ".class") != null) {
                String jdk = next;
                return ofJdk.computeIfAbsent(
                        jdk, key -> !declared(PLATFORM, key).inherited());
            }
            if (!isExcluded.test(next)) {
                return false;
            }
            Declared declared = declared(loader, next);
            if (declared.inherited()) {
                return false;
            }
            next = declared.superName();
        }
        return true;
    }

    /**
     * A class as far as it matters here.
     *
     * @param inherited whether it, or with the JDK one above it, has a hash code of its own
     */
    private record Declared(boolean inherited, String superName) {}

    private static Declared declared(@Nullable ClassLoader loader, String name) {
        ClassLoader source = loader == null ? PLATFORM : loader;
        try (InputStream in = source.getResourceAsStream(name + ".class")) {
            if (in == null) {
                // Made at run time. To be left alone is the lesser evil.
                return new Declared(true, OBJECT);
            }
            ClassReader reader = new ClassReader(in);
            AtomicBoolean found = new AtomicBoolean();
            reader.accept(
                    new ClassVisitor(ClassRewriter.API) {
                        @Override
                        public @Nullable MethodVisitor visitMethod(
                                int access,
                                String method,
                                String descriptor,
                                @Nullable String signature,
                                String @Nullable [] exceptions) {
                            found.compareAndSet(false, method.equals("hashCode") && descriptor.equals("()I"));
                            return null;
                        }
                    },
                    ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            String above = reader.getSuperName() == null ? OBJECT : reader.getSuperName();
            boolean own = found.get() && !name.equals(OBJECT);
            boolean jdk = source == PLATFORM;
            return new Declared(
                    own
                            || (jdk
                                    && !above.equals(OBJECT)
                                    && declared(PLATFORM, above).inherited()),
                    above);
        } catch (IOException | IllegalArgumentException e) {
            return new Declared(true, OBJECT);
        }
    }
}
