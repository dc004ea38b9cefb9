/**
 * At-most-once execution of unary gRPC calls: {@link org.amo.grpc.AtMostOnceServer} stands in front of an unmodified service, {@link
 * org.amo.grpc.AtMostOnceClient} in front of its stubs. docs/wire/grpc.md has the metadata between them.
 */
@NullMarked
package org.amo.grpc;

import org.jspecify.annotations.NullMarked;
