package org.amo.determinism.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.amo.determinism.agent.Substitution.Form;
import org.junit.jupiter.api.Test;

/** The table of replacements, against the JDK and the replacements themselves. */
final class SubstitutionsTest {
    @Test
    void eachMethodOfTheTableIsOneOfTheJdk() throws Exception {
        for (Substitution each : Substitutions.list()) {
            if (each.descriptor().equals("(Ljava/time/Duration;)V")
                    && Runtime.version().feature() < 19) {
                continue;
            }
            Class<?> owner = type(each.owner());
            MethodType signature = signature(each.descriptor());
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            switch (each.form()) {
                case STATIC -> lookup.findStatic(owner, each.name(), signature);
                case INSTANCE -> lookup.findVirtual(owner, each.name(), signature);
                // Some are protected.
                case NUMBER, CALENDAR, CLASS -> assertNotNull(owner.getDeclaredConstructor(signature.parameterArray()));
            }
        }
    }

    @Test
    void eachReplacementExists() throws Exception {
        for (Substitution each : Substitutions.list()) {
            if (each.form() == Form.CLASS) {
                Class<?> made = type(each.replacementName());
                assertEquals(type(each.owner()), made.getSuperclass());
                assertNotNull(
                        made.getDeclaredConstructor(signature(each.descriptor()).parameterArray()));
            } else {
                MethodHandles.publicLookup()
                        .findStatic(
                                type(each.replacement()),
                                each.replacementName(),
                                signature(each.replacementDescriptor()));
            }
        }
    }

    /** Java 22 has one more, of which the page says that it is not covered. */
    @Test
    void eachDrawOfAThreadLocalRandomIsReplaced() {
        Set<String> keys = Substitutions.list().stream().map(Substitution::key).collect(Collectors.toSet());
        for (Method method : ThreadLocalRandom.class.getMethods()) {
            boolean draws = !Modifier.isStatic(method.getModifiers())
                    && method.getDeclaringClass() != Object.class
                    && !Set.of("setSeed", "isDeprecated", "equiDoubles").contains(method.getName());
            String descriptor = MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                    .toMethodDescriptorString();
            assertTrue(
                    !draws
                            || keys.contains(Substitution.key(
                                    "java/util/concurrent/ThreadLocalRandom", method.getName(), descriptor)),
                    method.toString());
        }
    }

    @Test
    void noMethodIsThereTwice() {
        Set<String> keys = Substitutions.list().stream().map(Substitution::key).collect(Collectors.toSet());
        assertEquals(Substitutions.list().size(), keys.size());
        assertTrue(keys.contains("java/lang/System.currentTimeMillis()J"));
    }

    @Test
    void kindsAreAllNoneOrSome() {
        assertEquals(EnumSet.allOf(Kind.class), Kind.parse("all"));
        assertEquals(Set.of(), Kind.parse("none"));
        assertEquals(EnumSet.of(Kind.TIME, Kind.IDENTITY), Kind.parse("identity, time"));
        String message = assertThrows(IllegalArgumentException.class, () -> Kind.parse("times"))
                .getMessage();
        assertEquals("'times' must be all, none, or some of time,random,identity,defaults", message);
    }

    @Test
    void equalKindsAreWrittenAlike() {
        for (String text : List.of("all", "none", "time,random", "identity")) {
            assertEquals(text, Kind.format(Kind.parse(text)));
        }
        assertEquals("time,random", Kind.format(Kind.parse("random, time,random")));
        assertEquals("all", Kind.format(Kind.parse("defaults,identity,random,time")));
    }

    private static Class<?> type(String internalName) throws ClassNotFoundException {
        return Class.forName(internalName.replace('/', '.'));
    }

    private static MethodType signature(String descriptor) {
        return MethodType.fromMethodDescriptorString(descriptor, SubstitutionsTest.class.getClassLoader());
    }
}
