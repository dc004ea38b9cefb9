package org.amo.lab.blackbox.corba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import matrix.Everything;
import matrix.EverythingHelper;
import org.amo.interceptors.MinorCodes;
import org.amo.lab.blackbox.BankCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** A replicated front server of two members that calls a plain one. */
@Timeout(120)
class NestedCallsTest {
    private static final int CALLS = 10;

    @TempDir
    private Path folder;

    private ORB orb;
    private MatrixServant back;
    private Path reference;

    @BeforeEach
    void startBack() throws Exception {
        Properties properties = new Properties();
        properties.setProperty("OAIAddr", "127.0.0.1");
        orb = PlainOrb.create(properties);
        POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        root.the_POAManager().activate();
        back = new MatrixServant(orb);
        root.activate_object(back);
        reference = folder.resolve("back.ior");
        Files.write(
                reference, orb.object_to_string(root.servant_to_reference(back)).getBytes(StandardCharsets.US_ASCII));
    }

    @AfterEach
    void stop() {
        orb.shutdown(true);
    }

    private BankCluster cluster(String nested) {
        return BankCluster.start(BankCluster.Settings.bank("front")
                .main(FrontServer.class)
                .two()
                .property("front.back", reference.toString())
                .property("amo.nested", nested));
    }

    private Everything front(BankCluster cluster) {
        return EverythingHelper.narrow(orb.string_to_object(cluster.reference()));
    }

    @Test
    void areRefusedAndTheLogSaysWhatToDo() {
        try (BankCluster cluster = cluster("refuse")) {
            Everything front = front(cluster);
            for (int i = 0; i < CALLS; i++) {
                BAD_INV_ORDER refused = assertThrows(BAD_INV_ORDER.class, () -> front.count(1));
                assertEquals(MinorCodes.NESTED_CALL, refused.minor);
                assertEquals(CompletionStatus.COMPLETED_MAYBE, refused.completed);
            }
            cluster.awaitEqual();
            assertEquals(0, back.count(0));
            String said = cluster.member(0).said();
            assertTrue(
                    said.contains("an operation of group front called 'count' on a CORBA object")
                            && said.contains("--nested allow"),
                    said);
        }
    }

    @Test
    void thatAreAllowedRunOnceAMember() {
        try (BankCluster cluster = cluster("allow")) {
            Everything front = front(cluster);
            for (int i = 0; i < CALLS; i++) {
                assertEquals(1, front.count(1));
            }
            cluster.awaitEqual();
            assertEquals(2 * CALLS, back.count(0));
        }
    }
}
