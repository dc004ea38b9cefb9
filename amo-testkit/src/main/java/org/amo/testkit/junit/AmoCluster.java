package org.amo.testkit.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.amo.base.Stable;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test a group of a replicated service in its own process, without ports and files. The test's parameters of the
 * types {@link org.amo.replication.service.EmbeddedGroup}, {@link org.amo.replication.service.AmoClient} and the service's
 * interface are the group, a client and a proxy of it. After a test that passed all members must agree in state and replies,
 * or it fails: a service that is not deterministic is found out.
 *
 * <pre>{@code
 * @AmoCluster(type = Counters.class, service = CountersInMemory.class)
 * class CountersTest {
 *     @Test
 *     void countsOn(Counters counters, EmbeddedGroup group) {
 *         counters.add("x", 1);
 *         group.crash("a");
 *         assertEquals(2, counters.add("x", 1));
 *     }
 * }
 * }</pre>
 *
 * <p>Needs {@code org.amo:amo-replication} and JUnit 5 beside this module.
 */
@Stable
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(AmoClusterExtension.class)
public @interface AmoCluster {

    /** The interface that clients call. */
    Class<?> type();

    /** The class of the service, with a constructor without parameters; each member gets an object of its own. */
    Class<?> service();

    /** Members, 1 to 9. */
    int members() default 3;
}
