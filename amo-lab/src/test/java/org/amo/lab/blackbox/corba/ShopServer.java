package org.amo.lab.blackbox.corba;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CosNaming.NamingContextExt;
import org.omg.CosNaming.NamingContextExtHelper;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.IdUniquenessPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.RequestProcessingPolicyValue;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantLocatorPackage.CookieHolder;
import org.omg.PortableServer.ServantRetentionPolicyValue;
import org.omg.PortableServer._AdapterActivatorLocalBase;
import org.omg.PortableServer._ServantActivatorLocalBase;
import org.omg.PortableServer._ServantLocatorLocalBase;

/**
 * A server of another shape, which knows nothing of amo: {@code ShopServer FILE NAMESERVICE}. A tree of adapters with a
 * default servant, an activator, a locator, and one that an adapter activator makes; each object is found by its name in a
 * naming service. FILE appears when all is done.
 */
public final class ShopServer {
    private final ORB orb;
    private final POA root;

    private ShopServer(ORB orb) throws org.omg.CORBA.UserException {
        this.orb = orb;
        this.root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    }

    public static void main(String[] args) throws Exception {
        String nameService =
                Files.readString(Path.of(System.getProperty("shop.names"))).strip();
        ORB orb = ORB.init(args, null);
        new ShopServer(orb).open(NamingContextExtHelper.narrow(orb.string_to_object(nameService)));
        Files.writeString(Path.of(args[0]), "open");
        orb.run();
    }

    private void open(NamingContextExt names) throws org.omg.CORBA.UserException {
        root.the_POAManager().activate();
        POA shop = poa(root, "shop");
        POA tills = poa(
                shop,
                "tills",
                root.create_request_processing_policy(RequestProcessingPolicyValue.USE_DEFAULT_SERVANT),
                root.create_id_uniqueness_policy(IdUniquenessPolicyValue.MULTIPLE_ID));
        tills.set_servant(new MatrixServant(orb));
        POA carts = poa(
                shop, "carts", root.create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER));
        carts.set_servant_manager(new Carts(orb));
        POA items = poa(
                shop,
                "items",
                root.create_request_processing_policy(RequestProcessingPolicyValue.USE_SERVANT_MANAGER),
                root.create_servant_retention_policy(ServantRetentionPolicyValue.NON_RETAIN));
        items.set_servant_manager(new Items(orb));
        shop.the_activator(new Later(this));
        POA later = shop.find_POA("later", true);
        POA desk = poa(shop, "desk");
        desk.activate_object_with_id(bytes("desk"), new MatrixServant(orb));
        names.rebind(names.to_name("till"), tills.create_reference_with_id(bytes("till"), Items.TYPE));
        names.rebind(names.to_name("cart"), carts.create_reference_with_id(bytes("cart"), Items.TYPE));
        names.rebind(names.to_name("item"), items.create_reference_with_id(bytes("item"), Items.TYPE));
        names.rebind(names.to_name("later"), later.id_to_reference(bytes("later")));
        names.rebind(names.to_name("desk"), desk.id_to_reference(bytes("desk")));
    }

    private POA poa(POA parent, String name, Policy... more) throws org.omg.CORBA.UserException {
        List<Policy> policies = new ArrayList<>(Arrays.asList(more));
        policies.add(root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT));
        policies.add(root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID));
        return parent.create_POA(name, root.the_POAManager(), policies.toArray(new Policy[0]));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Makes a servant when an object is called for the first time. */
    private static final class Carts extends _ServantActivatorLocalBase {
        private static final long serialVersionUID = 1L;

        private final transient ORB orb;

        Carts(ORB orb) {
            this.orb = orb;
        }

        @Override
        public Servant incarnate(byte[] id, POA poa) {
            return new MatrixServant(orb);
        }

        @Override
        public void etherealize(byte[] id, POA poa, Servant servant, boolean cleanup, boolean remaining) {
            // Nothing to put away.
        }
    }

    /** Finds a servant for each call. */
    private static final class Items extends _ServantLocatorLocalBase {
        private static final long serialVersionUID = 1L;

        static final String TYPE = "IDL:matrix/Everything:1.0";

        private final transient Map<String, Servant> servants = new HashMap<>();
        private final transient ORB orb;

        Items(ORB orb) {
            this.orb = orb;
        }

        @Override
        public Servant preinvoke(byte[] id, POA poa, String operation, CookieHolder cookie) {
            return servants.computeIfAbsent(new String(id, StandardCharsets.US_ASCII), name -> new MatrixServant(orb));
        }

        @Override
        public void postinvoke(byte[] id, POA poa, String operation, Object cookie, Servant servant) {
            // It stays.
        }
    }

    /** Makes an adapter when one is asked for that is not there. */
    private static final class Later extends _AdapterActivatorLocalBase {
        private static final long serialVersionUID = 1L;

        private final transient ShopServer server;

        Later(ShopServer server) {
            this.server = server;
        }

        @Override
        public boolean unknown_adapter(POA parent, String name) {
            try {
                server.poa(parent, name).activate_object_with_id(bytes("later"), new MatrixServant(server.orb));
                return true;
            } catch (org.omg.CORBA.UserException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
