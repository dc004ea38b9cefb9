package planted;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** A servant without a skeleton. */
class Dynamic extends org.omg.PortableServer.DynamicImplementation {
    @Override
    public void invoke(org.omg.CORBA.ServerRequest request) {
        System.currentTimeMillis(); // clock+ Dynamic.invoke
    }

    @Override
    public String[] _all_interfaces(org.omg.PortableServer.POA poa, byte[] id) {
        return new String[0];
    }
}

/** Behind the tie. */
class Delegate implements TillOperations {
    public void clocks() {
        Helper.clock();
    }

    public void chance() {}

    public void hashes() {}

    public void orders() {}

    public void defaults() {}

    public void surroundings() {}

    public void threads() {}

    public void outside() {}

    public void statics() {}

    public void calls(Till other) {}

    public void ways(List<String> names) {}
}

class Helper {
    static void clock() {
        System.nanoTime(); // clock+ Helper.clock
    }
}

class ProvidedHandler implements Handler {
    public void handle() {
        ThreadLocalRandom.current(); // random+ ProvidedHandler.handle
    }
}

/** Starts the program; no operation calls it. */
class Main {
    public static void main(String[] args) throws Exception {
        new TillServant(null, null, () -> System.nanoTime(), null); // clock+ Main.main
        System.out.println(System.getProperty("user.name"));
        TillServant.unreached();
    }
}
