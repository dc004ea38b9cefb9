package org.amo.interceptors.jacorb;

import java.util.Optional;
import org.omg.CORBA.SystemException;
import org.omg.IOP.ServiceContext;

/** Where one request is answered: by one call of one of these, with a context of ours in the reply's header if given. */
public interface ReplyPort {

    /** Answers with a result. */
    void reply(byte[] body, Optional<ServiceContext> context);

    /** Answers with a user exception, its id first in the body. */
    void replyException(byte[] body, Optional<ServiceContext> context);

    void replySystemException(SystemException exception, Optional<ServiceContext> context);
}
