package org.amo.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.amo.base.Experimental;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.core.annotation.AliasFor;

/**
 * A {@link SpringBootTest} in whose process are all members of the application's groups, without ports, files and containers ({@link
 * org.amo.replication.service.EmbeddedGroup}). After each test that passed the members must agree in state and replies, or it fails: a
 * service that is not deterministic is found out.
 *
 * <pre>{@code
 * @AmoTest
 * class CountersTest {
 *     @Test
 *     void countsOn(@AmoProxy Counters counters, @AmoProxy EmbeddedGroup group) {
 *         assertEquals(1, counters.add("x", 1));
 *         group.crash("a");
 *         assertEquals(2, counters.add("x", 1));
 *     }
 * }
 * }</pre>
 *
 * <p>The tests of a class share the application, and so the state of its groups; {@code @DirtiesContext} gives each a new one.
 *
 * <p>Needs {@code spring-boot-test} and JUnit.
 */
@Experimental
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@SpringBootTest
public @interface AmoTest {

    /** Members of each group, 1 to 9. */
    int members() default 3;

    /** The application's configuration, as {@link SpringBootTest#classes}. */
    @AliasFor(annotation = SpringBootTest.class, attribute = "classes")
    Class<?>[] classes() default {};

    /** Properties of the application, as {@link SpringBootTest#properties}. */
    @AliasFor(annotation = SpringBootTest.class, attribute = "properties")
    String[] properties() default {};

    /** Whether there is a web server, as {@link SpringBootTest#webEnvironment}. */
    @AliasFor(annotation = SpringBootTest.class, attribute = "webEnvironment")
    SpringBootTest.WebEnvironment webEnvironment() default SpringBootTest.WebEnvironment.MOCK;
}
