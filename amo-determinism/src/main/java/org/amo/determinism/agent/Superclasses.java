package org.amo.determinism.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
     * Whether a class is Serializable, and the numbered class above it is not: then the number above is not in the serial form, and the
     * class needs one of its own.
     */
    boolean loseIdentityHash(@Nullable ClassLoader loader, ClassReader reader) {
        if (!isSerializable(loader, reader)) {
            return false;
        }
        String next = reader.getSuperName();
        while (next != null && !next.equals(OBJECT)) {
            Optional<ClassReader> above = anywhere(loader, next);
            if (above.isEmpty() || declares(above.get(), "hashCode", "()I") || isSerializable(loader, above.get())) {
                return false;
            }
            next = above.get().getSuperName();
        }
        return true;
    }

    /** By the interfaces that it names, not by its superclass. */
    private static boolean isSerializable(@Nullable ClassLoader loader, ClassReader reader) {
        for (String each : reader.getInterfaces()) {
            if (each.equals("java/io/Serializable")
                    || anywhere(loader, each)
                            .filter(found -> isSerializable(loader, found))
                            .isPresent()) {
                return true;
            }
        }
        return false;
    }

    private static Optional<ClassReader> anywhere(@Nullable ClassLoader loader, String name) {
        boolean jdk = PLATFORM.getResource(name + ".class") != null;
        return read(jdk || loader == null ? PLATFORM : loader, name);
    }

    /**
     * The classes of the JDK above one of the application's, from the lowest up.
     *
     * @return empty if a class of the application's declares this method, or cannot be read
     */
    List<String> ofJdk(@Nullable ClassLoader loader, String name, String method, String descriptor) {
        List<String> classes = new ArrayList<>();
        String next = name;
        while (!next.equals(OBJECT)) {
            boolean jdk = PLATFORM.getResource(next + ".class") != null;
            Optional<ClassReader> found = read(jdk || loader == null ? PLATFORM : loader, next);
            if (found.isEmpty() || (!jdk && declares(found.get(), method, descriptor))) {
                return List.of();
            }
            if (jdk) {
                classes.add(next);
            }
            String above = found.get().getSuperName();
            next = above == null ? OBJECT : above;
        }
        return classes;
    }

    private static Optional<ClassReader> read(ClassLoader source, String name) {
        try (InputStream in = source.getResourceAsStream(name + ".class")) {
            return in == null ? Optional.empty() : Optional.of(new ClassReader(in));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean declares(ClassReader reader, String name, String descriptor) {
        AtomicBoolean found = new AtomicBoolean();
        reader.accept(
                new ClassVisitor(ClassRewriter.API) {
                    @Override
                    public @Nullable MethodVisitor visitMethod(
                            int access,
                            String method,
                            String ofMethod,
                            @Nullable String signature,
                            String @Nullable [] exceptions) {
                        found.compareAndSet(false, method.equals(name) && ofMethod.equals(descriptor));
                        return null;
                    }
                },
                ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return found.get();
    }

    /**
     * A class as far as it matters here.
     *
     * @param inherited whether it, or with the JDK one above it, has a hash code of its own
     */
    private record Declared(boolean inherited, String superName) {}

    private static Declared declared(@Nullable ClassLoader loader, String name) {
        ClassLoader source = loader == null ? PLATFORM : loader;
        Optional<ClassReader> found = read(source, name);
        if (found.isEmpty()) {
            // Made at run time. To be left alone is the lesser evil.
            return new Declared(true, OBJECT);
        }
        ClassReader reader = found.get();
        String above = reader.getSuperName() == null ? OBJECT : reader.getSuperName();
        boolean own = !name.equals(OBJECT) && declares(reader, "hashCode", "()I");
        boolean below = source == PLATFORM
                && !above.equals(OBJECT)
                && declared(PLATFORM, above).inherited();
        return new Declared(own || below, above);
    }
}
