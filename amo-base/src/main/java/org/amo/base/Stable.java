package org.amo.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A type for users. Its public and protected members keep their source and binary form in all releases that have the same
 * compatibility number: the major version, or the minor version while the major is 0. A public type without this mark may
 * change in every release. A build with the profile {@code api} compares a release with an earlier one.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface Stable {}
