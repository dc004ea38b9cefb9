/** An ordinary CORBA bank: servant, server and client, as anybody would write them. */
@NullMarked
package org.amo.examples.bank;

import org.jspecify.annotations.NullMarked;
