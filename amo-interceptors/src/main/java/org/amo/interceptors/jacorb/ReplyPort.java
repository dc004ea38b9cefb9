package org.amo.interceptors.jacorb;

import java.util.List;
import org.omg.CORBA.SystemException;
import org.omg.IOP.ServiceContext;

/** Where one request is answered: by one call of one of these, with these contexts of ours in the reply's header. */
public interface ReplyPort {

    /** Answers with a result. */
    void reply(byte[] body, List<ServiceContext> contexts);

    /** Answers with a user exception, its id first in the body. */
    void replyException(byte[] body, List<ServiceContext> contexts);

    void replySystemException(SystemException exception, List<ServiceContext> contexts);
}
