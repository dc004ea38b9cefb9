/**
 * The server side of CORBA replication: the Group Object Adaptor stands between JacORB's object adapters and the
 * application's servants, sends each request through the replica and runs it where the log says.
 */
@NullMarked
package org.amo.interceptors.server;

import org.jspecify.annotations.NullMarked;
