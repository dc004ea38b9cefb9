/**
 * The client side of a replicated CORBA object: a portable interceptor that gives every logical call an id, sends it
 * again to another member when its member falls silent, and tells the group which calls are finished.
 */
@NullMarked
package org.amo.interceptors.client;

import org.jspecify.annotations.NullMarked;
