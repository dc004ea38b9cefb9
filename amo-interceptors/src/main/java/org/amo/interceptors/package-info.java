/**
 * CORBA: what the client side and the server side share.
 */
@NullMarked
package org.amo.interceptors;

import org.jspecify.annotations.NullMarked;
