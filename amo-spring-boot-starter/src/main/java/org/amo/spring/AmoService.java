package org.amo.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.amo.base.Experimental;
import org.springframework.stereotype.Component;

/**
 * A bean that is a replicated service: this application is a member of its group, and runs each request of the group on the bean, one
 * after another, in the same order as all other members. Stands on the class, or on a {@code @Bean} method.
 *
 * <pre>{@code
 * @AmoService(group = "counters")
 * class CountersInMemory implements Counters {
 *     private final Map<String, Long> counters = new TreeMap<>();
 *
 *     public long add(String name, long amount) {
 *         return counters.merge(name, amount, Long::sum);
 *     }
 * }
 * }</pre>
 *
 * <p>The bean must be deterministic, and its fields are the state: see {@link
 * org.amo.replication.service.AmoReplica.Builder#service}. No other bean can be given it, since a call that is not ordered would make the
 * members differ; {@link AmoProxy} injects the way to the group. Its scope is prototype.
 *
 * <p>The member joins its group before the web server accepts requests, and leaves it once the web server has answered those under way.
 * The settings are the properties {@code amo.*}; those of one group alone are {@code amo.groups.NAME.*}.
 */
@Experimental
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Component
public @interface AmoService {

    /** Name of the group; if empty, the property {@code amo.group} has it. One service of an application has it. */
    String group() default "";

    /** The interface that clients call. Without it, the only one that the bean's class implements, {@code AmoState} aside. */
    Class<?> type() default void.class;
}
