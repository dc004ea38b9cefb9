/**
 * The state of servants, for snapshots: how it is taken from an application's servants and given back to them. Start
 * reading at {@link org.amo.interceptors.state.ServantStates}.
 */
@NullMarked
package org.amo.interceptors.state;

import org.jspecify.annotations.NullMarked;
