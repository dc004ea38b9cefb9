package org.amo.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.amo.base.Experimental;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * Injects the way to a group, into a field, or a parameter of a constructor, a {@code @Bean} method or a test:
 *
 * <ul>
 *   <li>an interface of the service: a {@linkplain org.amo.replication.service.AmoClient#proxy proxy} that calls the group, each call at
 *       most once;
 *   <li>{@link org.amo.replication.service.AmoClient}: the client under the proxies. Each group has one in an application, which ends with
 *       the application;
 *   <li>in an {@link AmoTest}, {@link org.amo.replication.service.EmbeddedGroup}: the group itself, to crash its members.
 * </ul>
 *
 * <p>The application need not be a member of the group. The settings are those of {@link AmoService}; {@code amo.members} suffices beside
 * the group's name and its secret.
 */
@Experimental
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER})
@Autowired
public @interface AmoProxy {

    /** Name of the group; if empty, the property {@code amo.group} has it. */
    String group() default "";
}
