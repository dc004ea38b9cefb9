package org.amo.interceptors.server;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.amo.base.ProcessExit;
import org.amo.base.RunningOperation;
import org.amo.interceptors.CapturedReply;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.RateLimitedLog;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.INV_POLICY;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.OBJ_ADAPTER;
import org.omg.CORBA.Policy;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.UNKNOWN;
import org.omg.PortableServer.AdapterActivator;
import org.omg.PortableServer.ForwardRequest;
import org.omg.PortableServer.IdAssignmentPolicy;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.IdUniquenessPolicy;
import org.omg.PortableServer.IdUniquenessPolicyValue;
import org.omg.PortableServer.ImplicitActivationPolicy;
import org.omg.PortableServer.ImplicitActivationPolicyValue;
import org.omg.PortableServer.LifespanPolicy;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAManager;
import org.omg.PortableServer.POAManagerFactory;
import org.omg.PortableServer.POAManagerPackage.State;
import org.omg.PortableServer.POAPackage.AdapterAlreadyExists;
import org.omg.PortableServer.POAPackage.AdapterNonExistent;
import org.omg.PortableServer.POAPackage.InvalidPolicy;
import org.omg.PortableServer.POAPackage.NoServant;
import org.omg.PortableServer.POAPackage.ObjectAlreadyActive;
import org.omg.PortableServer.POAPackage.ObjectNotActive;
import org.omg.PortableServer.POAPackage.ServantAlreadyActive;
import org.omg.PortableServer.POAPackage.ServantNotActive;
import org.omg.PortableServer.POAPackage.WrongAdapter;
import org.omg.PortableServer.POAPackage.WrongPolicy;
import org.omg.PortableServer.RequestProcessingPolicy;
import org.omg.PortableServer.RequestProcessingPolicyValue;
import org.omg.PortableServer.Servant;
import org.omg.PortableServer.ServantActivator;
import org.omg.PortableServer.ServantLocator;
import org.omg.PortableServer.ServantLocatorPackage.CookieHolder;
import org.omg.PortableServer.ServantManager;
import org.omg.PortableServer.ServantRetentionPolicy;
import org.omg.PortableServer.ServantRetentionPolicyValue;
import org.omg.PortableServer.ThreadPolicy;
import org.omg.PortableServer.ThreadPolicyValue;
import org.omg.PortableServer._POALocalBase;
import org.slf4j.LoggerFactory;

/**
 * The object adapter that the application sees. It is JacORB's own in everything except that JacORB gets a
 * {@link GoaServant} wherever the application gives a servant, and that objects which cannot be replicated are
 * refused when they are activated.
 */
final class GoaPoa extends _POALocalBase {
    private static final long serialVersionUID = 1L;
    private static final byte[] NO_ID = {};
    private static final Duration TIME_OF_MAIN = Duration.ofSeconds(1);
    private static final RateLimitedLog LOG =
            new RateLimitedLog(LoggerFactory.getLogger(GoaPoa.class), Duration.ofSeconds(10));

    private final transient GroupObjectAdaptor adaptor;
    private final transient JacorbAccess jacorb;
    private final transient Optional<GoaPoa> parent;
    private final transient Supplier<POA> source;
    private final transient WrappedServants servants;
    private final transient ChangedObjects changes;
    private final transient Object oneActivation = new Object();
    private final transient ConcurrentHashMap<POA, GoaPoa> children = new ConcurrentHashMap<>();
    private transient volatile Optional<AdapterActivator> adapterActivator = Optional.empty();
    private transient volatile long activatorSetNanos;
    private transient volatile Optional<ServantManager> userManager = Optional.empty();

    private GoaPoa(GroupObjectAdaptor adaptor, Optional<GoaPoa> parent, Supplier<POA> source) {
        this.adaptor = adaptor;
        this.jacorb = adaptor.jacorb();
        this.parent = parent;
        this.source = source;
        this.servants = new WrappedServants(adaptor);
        this.changes = new ChangedObjects(adaptor.timeForRetries().toNanos());
    }

    /** The root. JacORB's own is made, and the port opened, when something is asked of it. */
    static GoaPoa root(GroupObjectAdaptor adaptor) {
        return new GoaPoa(adaptor, Optional.empty(), adaptor.jacorb()::rootPoa);
    }

    /** JacORB's object adapter behind this one. */
    POA real() {
        return source.get();
    }

    // ---- execution ----

    /** Says whether a request for this object can be run here now. */
    boolean knows(byte[] objectId) {
        // Nothing is waited for if an operation has taken the object away.
        return userManager.isPresent() || changes.of(objectId).isPresent() || isInJacorb(objectId);
    }

    private boolean isInJacorb(byte[] objectId) {
        try {
            return real().id_to_servant(objectId) instanceof GoaServant;
        } catch (ObjectNotActive | WrongPolicy | SystemException e) {
            return false;
        }
    }

    /** Says whether JacORB would hand a request for this object to our wrapper without asking the application. */
    boolean hosts(byte[] objectId) {
        return userManager.isEmpty() && isInJacorb(objectId);
    }

    /**
     * The servant of this object, or the delegate of a tie, since operations touch its fields, and the adapter itself if it runs one
     * operation at a time. Empty if a servant manager chooses the servant, or the object is not active here.
     */
    Set<Object> keys(byte[] objectId) {
        if (userManager.isPresent()) {
            return Set.of();
        }
        try {
            if (!(real().id_to_servant(objectId) instanceof GoaServant wrapper)) {
                return Set.of();
            }
            SameObject servant = new SameObject(ServantStates.target(wrapper.user()));
            return jacorb.isSingleThreaded(real()) ? Set.of(servant, new SameObject(this)) : Set.of(servant);
        } catch (ObjectNotActive | WrongPolicy | SystemException e) {
            return Set.of();
        }
    }

    /** Equal to itself alone: the application's {@code equals} does not count. */
    private record SameObject(Object object) {
        @Override
        public boolean equals(Object other) {
            return other instanceof SameObject same && same.object == object;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }
    }

    /** Says whether requests are let through: not held back, thrown away or refused. */
    boolean isActive() {
        try {
            return real().the_POAManager().get_state() == State.ACTIVE;
        } catch (SystemException e) {
            return false;
        }
    }

    /** Runs a request on the object's servant. */
    CapturedReply run(byte[] objectId, CapturedRequest request) {
        return reply(() -> userManager.orElse(null) instanceof ServantLocator locator
                ? runLocated(locator, objectId, request)
                : adaptor.runOn(this, objectId, servant(objectId), request));
    }

    /** Has a servant activator make the object's servant, if there is none. */
    CapturedReply activate(byte[] objectId) {
        return reply(() -> {
            Servant unused = servant(objectId);
            return CapturedReply.normal(NO_ID);
        });
    }

    @FunctionalInterface
    private interface Execution {
        CapturedReply run() throws ForwardRequest;
    }

    private static CapturedReply reply(Execution execution) {
        try {
            return execution.run();
        } catch (SystemException e) {
            ServantRunner.throwIfFatal(e);
            return CapturedReply.systemException(e);
        } catch (ForwardRequest e) {
            return CapturedReply.systemException(forwards());
        } catch (RuntimeException | Error e) {
            // Of a servant manager: its doing is a part of the request.
            ServantRunner.throwIfFatal(e);
            return CapturedReply.systemException(new UNKNOWN(0, CompletionStatus.COMPLETED_MAYBE));
        }
    }

    private static OBJ_ADAPTER forwards() {
        return new OBJ_ADAPTER(
                "a servant manager forwards to another object, which a replica cannot do",
                0,
                CompletionStatus.COMPLETED_NO);
    }

    private Servant servant(byte[] objectId) throws ForwardRequest {
        try {
            return active(objectId);
        } catch (ObjectNotActive | WrongPolicy e) {
            if (!(userManager.orElse(null) instanceof ServantActivator activator)) {
                throw new OBJECT_NOT_EXIST(0, CompletionStatus.COMPLETED_NO);
            }
            return incarnated(activator, objectId);
        }
    }

    private Servant incarnated(ServantActivator activator, byte[] objectId) throws ForwardRequest {
        Servant made = activator.incarnate(objectId, this);
        if (made == null || (jacorb.isUniqueId(real()) && isInUse(made))) {
            throw new OBJ_ADAPTER(
                    "a servant activator made no servant, or one that another object of a UNIQUE_ID adapter has",
                    0,
                    CompletionStatus.COMPLETED_NO);
        }
        putInFront(objectId, made);
        enterJacorb(objectId);
        return made;
    }

    private boolean isInUse(Servant servant) {
        return servants.find(servant).isPresent() || changes.idOf(servant).isPresent();
    }

    private void putInFront(byte[] objectId, Servant servant) {
        ((org.omg.CORBA_2_3.ORB) jacorb.orb()).set_delegate(servant);
        changes.activated(objectId, servant);
    }

    /** When the adapter ends, JacORB has those objects etherealized that it knows. */
    private void enterJacorb(byte[] objectId) {
        try {
            Servant unused = jacorb.incarnate(real(), objectId, new GoaActivator(adaptor, this));
        } catch (ForwardRequest e) {
            throw new IllegalStateException("an entry in JacORB's map forwards", e);
        }
    }

    /** JacORB need not keep an entry for each id that clients call. */
    void leave(byte[] objectId) {
        if (replacement(objectId).isPresent()) {
            return;
        }
        try {
            real().deactivate_object(objectId);
        } catch (ObjectNotActive | WrongPolicy | SystemException e) {
            // It has gone, alone or with its adapter.
        }
    }

    /**
     * The servant of an object, for a question that JacORB answers itself. If there is none, the members have it made, in the order.
     *
     * @throws SystemException if there is no such object, or it cannot be asked for now
     */
    Servant broughtAbout(byte[] objectId) {
        Optional<Servant> there = replacement(objectId);
        if (there.isPresent()) {
            return there.get();
        }
        if (isInsideOperation()) {
            requireFixedObjects("has an object incarnated");
            try {
                return servant(objectId);
            } catch (ForwardRequest e) {
                throw forwards();
            }
        }
        adaptor.activateObject(this, objectId);
        return replacement(objectId).orElseThrow(() -> new OBJECT_NOT_EXIST(0, CompletionStatus.COMPLETED_NO));
    }

    /** The adapter ends, and with it the object of one of JacORB's entries. */
    void end(byte[] objectId, Servant entry) {
        Optional<ChangedObjects.Change> change = changes.of(objectId);
        Optional<Servant> servant = change.isPresent()
                ? change.get().servant()
                : Optional.of(entry).filter(GoaServant.class::isInstance).map(WrappedServants::unwrap);
        if (servant.isPresent()) {
            if (change.isEmpty() && entry instanceof GoaServant wrapper) {
                servants.release(wrapper);
            }
            changes.deactivated(objectId, System.nanoTime());
            etherealize(objectId, servant.get(), true);
        }
    }

    private void etherealize(byte[] objectId, Servant servant, boolean cleanup) {
        if (!(userManager.orElse(null) instanceof ServantActivator activator)) {
            return;
        }
        try {
            activator.etherealize(objectId, this, servant, cleanup, isInUse(servant));
        } catch (RuntimeException | Error e) {
            // Its exceptions are no outcome of an operation; the order of the members goes on alike.
            ServantRunner.throwIfFatal(e);
            LOG.warn("a servant activator failed to etherealize an object: " + e);
        }
    }

    private boolean hasActivator() {
        return userManager.orElse(null) instanceof ServantActivator;
    }

    /** The servant of an object, or else the default servant, as operations have left them. */
    private Servant active(byte[] objectId) throws ObjectNotActive, WrongPolicy {
        Optional<ChangedObjects.Change> change = changes.of(objectId);
        if (change.isEmpty()) {
            Servant found = real().id_to_servant(objectId);
            if (found instanceof ActivatedObject) {
                // A request has arrived at this member, and none has been run at any.
                throw new ObjectNotActive();
            }
            return WrappedServants.unwrap(found);
        }
        if (change.get().servant().isPresent()) {
            return change.get().servant().get();
        }
        try {
            return get_servant();
        } catch (NoServant | WrongPolicy e) {
            throw new ObjectNotActive();
        }
    }

    /** Whether an operation has taken the object away. */
    boolean isGone(byte[] objectId) {
        return changes.of(objectId).filter(change -> change.servant().isEmpty()).isPresent();
    }

    /** The servant that an operation has given to the object, in place of JacORB's. */
    Optional<Servant> replacement(byte[] objectId) {
        return changes.of(objectId).flatMap(ChangedObjects.Change::servant);
    }

    private CapturedReply runLocated(ServantLocator locator, byte[] objectId, CapturedRequest request)
            throws ForwardRequest {
        CookieHolder cookie = new CookieHolder();
        Servant user = locator.preinvoke(objectId, this, request.operation(), cookie);
        ((org.omg.CORBA_2_3.ORB) jacorb.orb()).set_delegate(user);
        CapturedReply reply = adaptor.runOn(this, objectId, user, request);
        locator.postinvoke(objectId, this, request.operation(), cookie.value, user);
        return reply;
    }

    // ---- refusals ----

    /** @throws INV_POLICY when the objects of this POA would have other keys at each member */
    private void requireReplicable() {
        boolean persistent = jacorb.isPersistent(real());
        boolean userId = !jacorb.isSystemId(real());
        if (persistent && userId) {
            return;
        }
        String message = "amo cannot replicate objects of POA '" + real().the_name() + "': it is "
                + (persistent ? "" : "TRANSIENT") + (persistent || userId ? "" : " and ") + (userId ? "" : "SYSTEM_ID")
                + ", so they would have another key at each member; create a POA with the policies PERSISTENT and"
                + " USER_ID and activate them there with activate_object_with_id";
        throw refused(new INV_POLICY(message));
    }

    /**
     * Inside an operation the exception is the outcome, the same at every member. A process that ended there would meet the
     * operation again in its log.
     */
    private SystemException refused(SystemException refusal) {
        if (RunningOperation.current().isEmpty()) {
            return Failures.tell(jacorb, ProcessExit.USER, refusal);
        }
        LOG.warn(String.valueOf(refusal.getMessage()));
        return refusal;
    }

    /**
     * An operation may not change the set of objects where it could not be the same at all members.
     *
     * @throws INV_POLICY with the reason and the remedy, the same at every member
     */
    private void requireFixedObjects(String change) {
        adaptor.objectsAreFixed().ifPresent(why -> {
            throw refused(new INV_POLICY("an operation " + change + " " + why));
        });
    }

    private void requireName(Policy @Nullable [] policies) {
        if (policies == null || jacorb.property("jacorb.implname").isPresent()) {
            return;
        }
        for (Policy policy : policies) {
            if (policy instanceof LifespanPolicy lifespan && lifespan.value() == LifespanPolicyValue.PERSISTENT) {
                String message = "amo: a PERSISTENT POA needs the server's name; start every member with the same"
                        + " -Djacorb.implname=NAME";
                throw refused(new INITIALIZE(message));
            }
        }
    }

    // ---- servants ----

    @Override
    public byte[] activate_object(Servant servant) throws ServantAlreadyActive, WrongPolicy {
        requireReplicable();
        // Not reached: a POA that is replicable has USER_ID and refuses this operation itself.
        return real().activate_object(servant);
    }

    @Override
    public void activate_object_with_id(byte[] objectId, Servant servant)
            throws ServantAlreadyActive, ObjectAlreadyActive, WrongPolicy {
        requireFixedObjects("activates an object");
        requireReplicable();
        Optional<ChangedObjects.Change> change = changes.of(objectId);
        if (replacement(objectId).isPresent()) {
            throw new ObjectAlreadyActive();
        }
        if (jacorb.isUniqueId(real()) && changes.idOf(servant).isPresent()) {
            throw new ServantAlreadyActive();
        }
        if (hasActivator() && change.isEmpty() && wrapperOf(objectId).isPresent()) {
            throw new ObjectAlreadyActive();
        }
        if (hasActivator() || (change.isPresent() && !change.get().leaving())) {
            activateAgain(objectId, servant);
        } else {
            activateInJacorb(objectId, servant);
        }
        adaptor.servantActivated(this, objectId, servant);
    }

    private void activateInJacorb(byte[] objectId, Servant servant)
            throws ServantAlreadyActive, ObjectAlreadyActive, WrongPolicy {
        GoaServant wrapper = servants.wrap(servant);
        try {
            real().activate_object_with_id(objectId, wrapper);
        } catch (ServantAlreadyActive | ObjectAlreadyActive | WrongPolicy | SystemException e) {
            servants.release(wrapper);
            throw e;
        }
        changes.forget(objectId);
    }

    /**
     * JacORB still has its entry, and a request that waits in one of JacORB's threads may wait for the operation that runs now. In an
     * adapter with an activator JacORB has an entry as soon as a request has arrived, at that member.
     */
    private void activateAgain(byte[] objectId, Servant servant) throws ServantAlreadyActive {
        if (jacorb.isUniqueId(real()) && servants.find(servant).isPresent()) {
            throw new ServantAlreadyActive();
        }
        putInFront(objectId, servant);
        if (hasActivator()) {
            enterJacorb(objectId);
        }
    }

    @Override
    public void deactivate_object(byte[] objectId) throws ObjectNotActive, WrongPolicy {
        requireFixedObjects("deactivates an object");
        if (hasActivator()
                || RunningOperation.current().isPresent()
                || changes.of(objectId).isPresent()) {
            deactivateAtOnce(objectId);
            return;
        }
        Optional<GoaServant> wrapper = wrapperOf(objectId);
        real().deactivate_object(objectId);
        adaptor.servantDeactivated(this, objectId);
        wrapper.ifPresent(servants::release);
    }

    /** At the same place of the order at every member: JacORB would do it later, behind its own requests for the object. */
    private void deactivateAtOnce(byte[] objectId) throws ObjectNotActive, WrongPolicy {
        Optional<ChangedObjects.Change> change = changes.of(objectId);
        Servant servant;
        if (change.isPresent()) {
            servant = change.get().servant().orElseThrow(ObjectNotActive::new);
        } else {
            // Fails as deactivate_object would.
            org.omg.CORBA.Object unused = real().id_to_reference(objectId);
            GoaServant wrapper = wrapperOf(objectId).orElseThrow(ObjectNotActive::new);
            servants.release(wrapper);
            servant = wrapper.user();
        }
        long now = System.nanoTime();
        changes.deactivated(objectId, now);
        adaptor.servantDeactivated(this, objectId);
        for (byte[] gone : changes.due(now)) {
            removeFromJacorb(gone);
        }
        byte[] id = objectId.clone();
        adaptor.afterOperation(() -> etherealize(id, servant, false));
    }

    /** Begins it, or notes that JacORB has done it. */
    private void removeFromJacorb(byte[] objectId) throws WrongPolicy {
        try {
            real().deactivate_object(objectId);
            changes.leaving(objectId);
        } catch (ObjectNotActive e) {
            if (wrapperOf(objectId).isEmpty()) {
                changes.forget(objectId);
            }
        }
    }

    private Optional<GoaServant> wrapperOf(byte[] objectId) {
        try {
            return real().id_to_servant(objectId) instanceof GoaServant wrapper
                    ? Optional.of(wrapper)
                    : Optional.empty();
        } catch (ObjectNotActive | WrongPolicy e) {
            return Optional.empty();
        }
    }

    @Override
    public Servant get_servant() throws NoServant, WrongPolicy {
        return WrappedServants.unwrap(real().get_servant());
    }

    @Override
    public void set_servant(Servant servant) throws WrongPolicy {
        requireFixedObjects("sets a default servant");
        requireReplicable();
        GoaServant wrapper = servants.wrap(servant);
        try {
            real().set_servant(wrapper);
        } catch (WrongPolicy e) {
            servants.release(wrapper);
            throw e;
        }
        adaptor.servantActivated(this, NO_ID, servant);
    }

    @Override
    public @Nullable ServantManager get_servant_manager() throws WrongPolicy {
        real().get_servant_manager();
        return userManager.orElse(null);
    }

    @Override
    public void set_servant_manager(ServantManager manager) throws WrongPolicy {
        requireFixedObjects("sets a servant manager");
        requireReplicable();
        if (manager instanceof ServantActivator) {
            real().set_servant_manager(new GoaActivator(adaptor, this));
        } else if (manager instanceof ServantLocator locator) {
            real().set_servant_manager(new GoaLocator(this, adaptor, locator));
        } else {
            real().set_servant_manager(manager);
        }
        userManager = Optional.of(manager);
        adaptor.managerSet();
    }

    @Override
    public byte[] servant_to_id(Servant servant) throws ServantNotActive, WrongPolicy {
        Optional<JacorbAccess.Invocation> running = runningOn(servant);
        if (running.isPresent()) {
            return running.get().objectId();
        }
        Optional<byte[]> changed = changes.idOf(servant);
        if (changed.isPresent() && jacorb.isUniqueId(real())) {
            return changed.get().clone();
        }
        Optional<GoaServant> wrapper = servants.find(servant);
        if (wrapper.isEmpty()) {
            requireReplicable();
            throw new ServantNotActive();
        }
        return real().servant_to_id(wrapper.get());
    }

    @Override
    public org.omg.CORBA.Object servant_to_reference(Servant servant) throws ServantNotActive, WrongPolicy {
        Optional<JacorbAccess.Invocation> running = runningOn(servant);
        if (running.isPresent()) {
            return reference(running.get().objectId(), servant);
        }
        Optional<byte[]> changed = changes.idOf(servant);
        if (changed.isPresent() && jacorb.isUniqueId(real())) {
            return reference(changed.get(), servant);
        }
        Optional<GoaServant> wrapper = servants.find(servant);
        if (wrapper.isEmpty()) {
            requireReplicable();
            throw new ServantNotActive();
        }
        return literal(real().servant_to_reference(wrapper.get()));
    }

    private org.omg.CORBA.Object reference(byte[] objectId, Servant servant) throws WrongPolicy {
        return literal(real().create_reference_with_id(objectId, servant._all_interfaces(this, objectId)[0]));
    }

    private org.omg.CORBA.Object literal(org.omg.CORBA.Object reference) {
        return adaptor.references().literal(reference);
    }

    private Optional<JacorbAccess.Invocation> runningOn(Servant servant) {
        return adaptor.running().filter(running -> running.servant() == servant && running.poa() == this);
    }

    @Override
    public Servant reference_to_servant(org.omg.CORBA.Object reference)
            throws WrongAdapter, ObjectNotActive, WrongPolicy {
        // JacORB refuses a reference that is none.
        return reference == null || (changes.isEmpty() && userManager.isEmpty())
                ? WrappedServants.unwrap(real().reference_to_servant(reference))
                : active(real().reference_to_id(reference));
    }

    @Override
    public byte[] reference_to_id(org.omg.CORBA.Object reference) throws WrongAdapter, WrongPolicy {
        return real().reference_to_id(reference);
    }

    @Override
    public Servant id_to_servant(byte[] objectId) throws ObjectNotActive, WrongPolicy {
        return active(objectId);
    }

    @Override
    public org.omg.CORBA.Object id_to_reference(byte[] objectId) throws ObjectNotActive, WrongPolicy {
        Optional<ChangedObjects.Change> change = changes.of(objectId);
        if (change.isPresent()) {
            return reference(objectId, change.get().servant().orElseThrow(ObjectNotActive::new));
        }
        if (userManager.isPresent()) {
            // JacORB's entry does not say that the object is active.
            Servant unused = active(objectId);
        }
        return literal(real().id_to_reference(objectId));
    }

    @Override
    public org.omg.CORBA.Object create_reference(String type) throws WrongPolicy {
        requireReplicable();
        return literal(real().create_reference(type));
    }

    @Override
    public org.omg.CORBA.Object create_reference_with_id(byte[] objectId, String type) throws WrongPolicy {
        requireReplicable();
        return literal(real().create_reference_with_id(objectId, type));
    }

    // ---- the tree of adapters ----

    @Override
    public POA create_POA(String name, POAManager manager, Policy @Nullable [] policies)
            throws AdapterAlreadyExists, InvalidPolicy {
        requireFixedObjects("creates an object adapter");
        requireName(policies);
        return child(real().create_POA(name, manager, policies));
    }

    @Override
    public POA find_POA(String name, boolean activate) throws AdapterNonExistent {
        if (activate && adapterActivator.isPresent()) {
            requireFixedObjects("has an object adapter activated");
        }
        return found(name, activate);
    }

    private GoaPoa found(String name, boolean activate) throws AdapterNonExistent {
        try {
            return child(real().find_POA(name, false));
        } catch (AdapterNonExistent e) {
            // Not by JacORB: it would ask as it does when a request arrives.
            if (!activate || !activateAdapter(name)) {
                throw e;
            }
        }
        return child(real().find_POA(name, false));
    }

    /** Asks the application's activator, if there is one, in the calling thread. Says whether the adapter is here now. */
    private boolean activateAdapter(String name) {
        Optional<AdapterActivator> activator = adapterActivator;
        // Main may find the adapter for which a request waits: only one of them asks.
        synchronized (oneActivation) {
            return isHere(name) || (activator.isPresent() && activator.get().unknown_adapter(this, name));
        }
    }

    private boolean isHere(String name) {
        try {
            POA unused = real().find_POA(name, false);
            return true;
        } catch (AdapterNonExistent e) {
            return false;
        }
    }

    /** JacORB asks for an adapter that is not here, for a request that has arrived or a thread that calls a local object. */
    boolean unknownAdapter(String name) {
        if (!isInsideOperation()) {
            return adaptor.activateAdapter(this, name);
        }
        requireFixedObjects("has an object adapter activated");
        return activateAdapter(name);
    }

    /** Whether the calling thread runs an operation. One of JacORB's may have been started by an operation that made an adapter. */
    private static boolean isInsideOperation() {
        return RunningOperation.current().isPresent() && !JacorbAccess.isThreadOfJacorb();
    }

    // ---- the way to an adapter, by the names below this one ----

    /**
     * Whether an activator stands where the way ends at this member, in an adapter that lets requests through. Not as soon as it is set:
     * a main that sets it often finds adapters by it next, and a member has no snapshots once an operation has made an object.
     */
    boolean leadsToReadyActivator(List<String> names) {
        GoaPoa at = this;
        try {
            for (String name : names) {
                at = at.found(name, false);
            }
            return false;
        } catch (AdapterNonExistent | SystemException e) {
            return at.adapterActivator.isPresent()
                    && at.isActive()
                    && System.nanoTime() - at.activatorSetNanos >= TIME_OF_MAIN.toNanos();
        }
    }

    /**
     * Has those on the way activated that are not here.
     *
     * @return the exception of an activator, as the reply of the request; empty if there is none
     */
    Optional<CapturedReply> activateAdapters(List<String> names) {
        GoaPoa at = this;
        try {
            for (String name : names) {
                at = at.found(name, true);
            }
        } catch (AdapterNonExistent e) {
            // Its activator has refused, or there is none.
        } catch (SystemException e) {
            ServantRunner.throwIfFatal(e);
            return Optional.of(CapturedReply.systemException(e));
        } catch (RuntimeException | Error e) {
            ServantRunner.throwIfFatal(e);
            return Optional.of(CapturedReply.systemException(new UNKNOWN(0, CompletionStatus.COMPLETED_MAYBE)));
        }
        return Optional.empty();
    }

    @Override
    public POA[] the_children() {
        POA[] found = real().the_children();
        for (int i = 0; i < found.length; i++) {
            found[i] = child(found[i]);
        }
        return found;
    }

    @Override
    public @Nullable POA the_parent() {
        return parent.orElse(null);
    }

    /** The proxy of a child of JacORB's adapter: always the same one. */
    private GoaPoa child(POA realChild) {
        GoaPoa made = new GoaPoa(adaptor, Optional.of(this), () -> realChild);
        GoaPoa known = children.putIfAbsent(realChild, made);
        if (known != null) {
            return known;
        }
        adaptor.adapterCreated(made);
        return made;
    }

    /** @throws INV_POLICY inside an operation: JacORB ends an adapter in a thread of its own, behind its own requests for it */
    @Override
    public void destroy(boolean etherealize, boolean wait) {
        requireFixedObjects("destroys an object adapter");
        if (RunningOperation.current().isPresent()) {
            throw refused(new INV_POLICY(
                    "an operation destroys an object adapter, which ends at another moment at each member, so a"
                            + " later create_POA or find_POA of its name could differ; deactivate its objects and keep it, or destroy it in"
                            + " main"));
        }
        forget();
        parent.ifPresent(above -> above.children.remove(real()));
        real().destroy(etherealize, wait);
    }

    private void forget() {
        for (GoaPoa child : children.values()) {
            children.remove(child.real());
            child.forget();
        }
        adaptor.adapterDestroyed(this);
    }

    @Override
    public @Nullable AdapterActivator the_activator() {
        return adapterActivator.orElse(null);
    }

    @Override
    public void the_activator(@Nullable AdapterActivator activator) {
        activatorSetNanos = System.nanoTime();
        adapterActivator = Optional.ofNullable(activator);
        real().the_activator(activator == null ? null : new GoaAdapterActivator(this));
        if (activator != null) {
            adaptor.activatorSet();
        }
    }

    @Override
    public String the_name() {
        return real().the_name();
    }

    @Override
    public POAManager the_POAManager() {
        return real().the_POAManager();
    }

    @Override
    public POAManagerFactory the_POAManagerFactory() {
        return real().the_POAManagerFactory();
    }

    @Override
    public byte[] id() {
        return real().id();
    }

    // ---- policies ----

    @Override
    public ThreadPolicy create_thread_policy(ThreadPolicyValue value) {
        return real().create_thread_policy(value);
    }

    @Override
    public LifespanPolicy create_lifespan_policy(LifespanPolicyValue value) {
        return real().create_lifespan_policy(value);
    }

    @Override
    public IdUniquenessPolicy create_id_uniqueness_policy(IdUniquenessPolicyValue value) {
        return real().create_id_uniqueness_policy(value);
    }

    @Override
    public IdAssignmentPolicy create_id_assignment_policy(IdAssignmentPolicyValue value) {
        return real().create_id_assignment_policy(value);
    }

    @Override
    public ImplicitActivationPolicy create_implicit_activation_policy(ImplicitActivationPolicyValue value) {
        return real().create_implicit_activation_policy(value);
    }

    @Override
    public ServantRetentionPolicy create_servant_retention_policy(ServantRetentionPolicyValue value) {
        return real().create_servant_retention_policy(value);
    }

    @Override
    public RequestProcessingPolicy create_request_processing_policy(RequestProcessingPolicyValue value) {
        return real().create_request_processing_policy(value);
    }
}
