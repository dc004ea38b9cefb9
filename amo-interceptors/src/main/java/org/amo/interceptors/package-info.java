/** CORBA code that the client side and the server side share: minor codes and the bytes of requests and replies. */
@NullMarked
package org.amo.interceptors;

import org.jspecify.annotations.NullMarked;
