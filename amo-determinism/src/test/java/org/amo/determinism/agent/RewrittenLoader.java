package org.amo.determinism.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Loads {@link Sources} and its inner classes as the agent rewrites them. The JDK's verifier looks at them. */
final class RewrittenLoader extends ClassLoader {
    private final ApplicationTransformer transformer;
    private final List<String> left = new ArrayList<>();

    private final Class<?> rewritten;

    RewrittenLoader(Set<Kind> kinds) {
        this(kinds, Sources.class, false);
    }

    /** @param rewritten loaded in this way, with its inner classes */
    RewrittenLoader(Set<Kind> kinds, Class<?> rewritten, boolean ordersTasks) {
        super(RewrittenLoader.class.getClassLoader());
        this.rewritten = rewritten;
        // Without amo's own packages among the excluded ones, since the sources are there.
        transformer = new ApplicationTransformer(
                new ApplicationClasses(List.of("java/")),
                kinds,
                ordersTasks,
                (name, why) -> left.add(name + ": " + why));
    }

    static Class<?> sources(Kind... kinds) throws ClassNotFoundException {
        Set<Kind> chosen = kinds.length == 0 ? EnumSet.allOf(Kind.class) : Set.of(kinds);
        return new RewrittenLoader(chosen).loadClass(Sources.class.getName());
    }

    /** The classes that stayed as they are. */
    List<String> left() {
        return left;
    }

    byte[] rewrite(String name, byte[] bytes) {
        byte[] rewritten = transformer.transform(this, name.replace('.', '/'), null, null, bytes);
        return rewritten == null ? bytes : rewritten;
    }

    Class<?> define(String name, byte[] bytes) {
        byte[] written = rewrite(name, bytes);
        return defineClass(name, written, 0, written.length);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(rewritten.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            byte[] bytes = rewrite(name, bytes(name));
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static byte[] bytes(String name) {
        try (InputStream in =
                RewrittenLoader.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
