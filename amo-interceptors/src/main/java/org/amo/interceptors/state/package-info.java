/** {@link org.amo.interceptors.state.StateCodec}: for a servant whose state amo cannot take. */
@NullMarked
package org.amo.interceptors.state;

import org.jspecify.annotations.NullMarked;
