/**
 * DPG: total-order multicast without group membership (Konorski). {@link org.amo.dpg.DpgSite} is the entry point;
 * docs/protocols/dpg.md maps the paper's symbols to names here.
 */
@NullMarked
package org.amo.dpg;

import org.jspecify.annotations.NullMarked;
