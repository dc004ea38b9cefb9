package org.amo.interceptors.server;

import everything.Chain;
import org.omg.CORBA.portable.ValueFactory;

/** Makes the values of the test's IDL. */
final class ChainDefaultFactory implements ValueFactory {
    private static final class Link extends Chain {
        private static final long serialVersionUID = 1L;
    }

    Chain chain(String label) {
        Link link = new Link();
        link.label = label;
        return link;
    }

    @Override
    public java.io.Serializable read_value(org.omg.CORBA_2_3.portable.InputStream in) {
        return in.read_value(new Link());
    }
}
