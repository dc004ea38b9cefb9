package org.amo.determinism.agent;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;
import org.amo.determinism.runtime.MemberOperations;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/** Rewrites the application's classes as they are loaded. A class that it cannot rewrite stays as it is. Any thread. */
final class ApplicationTransformer implements ClassFileTransformer {
    private final ApplicationClasses application;
    private final Substitutions substitutions;
    private final Superclasses superclasses;
    private final boolean identity;
    private final boolean ordersTasks;
    private final BiConsumer<String, String> left;
    private final Map<ClassLoader, Boolean> seeing = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * @param ordersTasks whether tasks of an operation run in its thread
     * @param left told the name of a class that stays as it is, and the reason
     */
    ApplicationTransformer(
            ApplicationClasses application, Set<Kind> kinds, boolean ordersTasks, BiConsumer<String, String> left) {
        this.application = application;
        this.substitutions = new Substitutions(kinds);
        this.superclasses = new Superclasses(application::isExcluded);
        this.identity = kinds.contains(Kind.IDENTITY);
        this.ordersTasks = ordersTasks;
        this.left = left;
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        if (name == null || !application.contain(loader, name)) {
            return null;
        }
        try {
            byte[] rewritten = rewrite(loader, bytes, redefined != null);
            if (rewritten != null && !isSeeing(loader)) {
                left.accept(
                        name,
                        "its class loader " + loader + " hides the package org.amo.determinism.runtime; let it delegate"
                                + " this package to the boot class loader");
                return null;
            }
            return rewritten;
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            // Of the reader for a class file that is broken or too new, or of the writer for a method that would be too
            // long.
            left.accept(name, String.valueOf(e.getMessage()));
            return null;
        }
    }

    private boolean isSeeing(@Nullable ClassLoader loader) {
        return loader != null && seeing.computeIfAbsent(loader, ApplicationTransformer::sees);
    }

    /** A loader that delegates nothing but the JDK's packages would not find the replacements. */
    private static boolean sees(ClassLoader loader) {
        try {
            return Class.forName(MemberOperations.class.getName(), false, loader) == MemberOperations.class;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /**
     * The class with its calls replaced; null if there are none.
     *
     * @param loaded whether the class is there already, so that it can be given no members
     */
    byte @Nullable [] rewrite(@Nullable ClassLoader loader, byte[] bytes, boolean loaded) {
        ClassReader reader = new ClassReader(bytes);
        boolean isClass = (reader.getAccess() & (Opcodes.ACC_INTERFACE | Opcodes.ACC_MODULE)) == 0;
        boolean numbered = identity
                && isClass
                && !loaded
                && reader.getSuperName() != null
                && (superclasses.leaveIdentityHash(loader, reader.getSuperName())
                        || superclasses.loseIdentityHash(loader, reader));
        if (loaded
                && !substitutions
                        .classFor(String.valueOf(reader.getSuperName()))
                        .equals(reader.getSuperName())) {
            throw new IllegalStateException("it was loaded before the agent was");
        }
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        ClassRewriter.Inheritance inheritance =
                (type, method, descriptor) -> superclasses.ofJdk(loader, type, method, descriptor);
        ClassRewriter rewriter = new ClassRewriter(writer, substitutions, inheritance, numbered, ordersTasks, loaded);
        ClassVisitor first = numbered ? new SerialNumber(rewriter) : rewriter;
        reader.accept(first, 0);
        // A class without a source need not be named where it cannot be rewritten.
        boolean initializer = rewriter.isInitialized() && isSeeing(loader);
        return rewriter.hasChanged() || initializer ? writer.toByteArray() : null;
    }
}
