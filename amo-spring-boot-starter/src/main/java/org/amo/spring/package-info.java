/**
 * Replicated services in Spring Boot applications: {@link org.amo.spring.AmoService} makes a bean a member of a group, {@link
 * org.amo.spring.AmoProxy} injects the way to a group, and {@link org.amo.spring.AmoTest} embeds the groups in a test.
 */
@NullMarked
package org.amo.spring;

import org.jspecify.annotations.NullMarked;
