/** Many actors that chat over one lossy link: start at {@link org.amo.examples.chat.Chat}. */
@NullMarked
package org.amo.examples.chat;

import org.jspecify.annotations.NullMarked;
