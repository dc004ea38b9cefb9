package org.amo.determinism.check;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.FieldInsnNode;

/**
 * Finds fields that hold a source which was made outside of an operation: a Random without a seed, a clock, a stream. Their
 * use in an operation shows no sign of it; the calls that made them do, as far as the class of the field has them.
 */
final class HeldSources {
    private static final Set<String> SEEDED =
            Set.of("java/util/Random.<init>(J)V", "java/util/SplittableRandom.<init>(J)V");

    private static final List<String> RANDOM =
            List.of("java/util/Random", "java/util/random/RandomGenerator", "java/util/SplittableRandom");

    private static final List<String> STREAMS =
            List.of("java/io/InputStream", "java/io/OutputStream", "java/io/Reader", "java/io/Writer");

    /** Streams that end in memory, and the standard output, which no state depends on. */
    private static final List<String> HARMLESS = List.of(
            "java/io/ByteArrayInputStream.",
            "java/io/ByteArrayOutputStream.",
            "java/io/CharArrayReader.",
            "java/io/CharArrayWriter.",
            "java/io/StringReader.",
            "java/io/StringWriter.",
            "java/lang/System.out",
            "java/lang/System.err");

    /** Made in a class of the application, these draw from the operation under the agent. */
    private static final List<String> LASTING = List.of(
            "java/util/Random.<init>",
            "java/security/SecureRandom.",
            "java/time/Clock.system",
            "java/time/Clock.tick",
            "java/time/InstantSource.system");

    /**
     * A use of such a field.
     *
     * @param deterministic whether the determinism agent substituted the source where it was made
     */
    record Held(SourceKind kind, boolean deterministic, String words) {}

    private final TypeTable types;
    private final FieldContents contents;

    HeldSources(TypeTable types, FieldContents contents) {
        this.types = types;
        this.contents = contents;
    }

    /** The source behind an instruction that takes the value of a field. */
    Optional<Held> of(FieldInsnNode field) {
        Type declared = Type.getType(field.desc);
        if (declared.getSort() != Type.OBJECT || !types.isLibrary(declared.getInternalName())) {
            return Optional.empty();
        }
        String type = declared.getInternalName();
        if (is(type, RANDOM)) {
            return made(field, SourceKind.RANDOM, SEEDED::contains);
        }
        if (is(type, List.of("java/time/Clock", "java/time/InstantSource"))) {
            return made(field, SourceKind.CLOCK, maker -> maker.startsWith("java/time/Clock.fixed"));
        }
        if (is(type, STREAMS) && !type.startsWith("org/")) {
            return made(field, SourceKind.FILE, maker -> HARMLESS.stream().anyMatch(maker::startsWith));
        }
        return Optional.empty();
    }

    private boolean is(String type, List<String> ancestors) {
        return ancestors.stream().anyMatch(ancestor -> types.isSubtype(type, ancestor));
    }

    private Optional<Held> made(FieldInsnNode field, SourceKind kind, Predicate<String> isHarmless) {
        Optional<String> owner =
                types.field(field.owner, field.name).map(Map.Entry::getKey).filter(types::isApplication);
        if (owner.isEmpty()) {
            return Optional.empty();
        }
        FieldContents.Content content = contents.of(owner.get(), field.name);
        if (content.complete() && content.makers().stream().allMatch(isHarmless)) {
            return Optional.empty();
        }
        boolean deterministic = content.complete()
                && content.makers().stream()
                        .allMatch(maker ->
                                isHarmless.test(maker) || LASTING.stream().anyMatch(maker::startsWith));
        String type = MethodKey.simpleName(Type.getType(field.desc).getInternalName());
        return Optional.of(
                new Held(kind, deterministic, type + " in " + MethodKey.simpleName(owner.get()) + "." + field.name));
    }
}
