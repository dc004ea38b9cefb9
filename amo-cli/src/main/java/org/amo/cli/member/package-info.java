/** {@code amo member}: the members of a running group. */
@NullMarked
package org.amo.cli.member;

import org.jspecify.annotations.NullMarked;
