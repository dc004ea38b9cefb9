package org.amo.replication.service;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that changes no state. A proxy calls it by {@link AmoClient#query(byte[])}: one member runs it, without an entry in the
 * group's log, and the result is linearizable. It returns a result; an interface with a void one is refused.
 *
 * <p>The declaration is the author's promise. A method that changes state all the same makes that member differ from the
 * others. {@link EmbeddedGroup} finds it, since it compares the state before and behind each read; a group in production does
 * not.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface ReadOnly {}
