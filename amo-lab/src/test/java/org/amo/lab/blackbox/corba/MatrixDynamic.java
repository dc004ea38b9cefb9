package org.amo.lab.blackbox.corba;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import matrix.BrokenHelper;
import matrix.DetailedHelper;
import matrix.EchoesOperations;
import matrix.EmptyHelper;
import org.omg.CORBA.ARG_IN;
import org.omg.CORBA.ARG_INOUT;
import org.omg.CORBA.ARG_OUT;
import org.omg.CORBA.Any;
import org.omg.CORBA.BAD_OPERATION;
import org.omg.CORBA.NVList;
import org.omg.CORBA.ORB;
import org.omg.CORBA.ServerRequest;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.DynamicImplementation;
import org.omg.PortableServer.POA;

/** The same behaviour without a skeleton: arguments and results are Anys all the way. */
final class MatrixDynamic extends DynamicImplementation {
    private final ORB orb;
    private final MatrixServant behaviour;
    private final Map<String, TypeCode> echoes = new TreeMap<>();

    MatrixDynamic(ORB orb) {
        this.orb = orb;
        this.behaviour = new MatrixServant(orb);
        for (Method method : EchoesOperations.class.getMethods()) {
            echoes.put(method.getName(), MatrixTypes.typeOf(orb, method));
        }
    }

    @Override
    public String[] _all_interfaces(POA poa, byte[] objectId) {
        return new String[] {"IDL:matrix/Everything:1.0", "IDL:matrix/Echoes:1.0", "IDL:matrix/Tally:1.0"};
    }

    @Override
    public void invoke(ServerRequest request) {
        TypeCode type = echoes.get(request.operation());
        if (type != null) {
            echo(request, type);
            return;
        }
        Any result = orb.create_any();
        try {
            run(request, result);
            request.set_result(result);
        } catch (matrix.Broken e) {
            BrokenHelper.insert(result, e);
            request.set_exception(result);
        } catch (matrix.Detailed e) {
            DetailedHelper.insert(result, e);
            request.set_exception(result);
        } catch (matrix.Empty e) {
            EmptyHelper.insert(result, e);
            request.set_exception(result);
        } catch (UserException e) {
            throw new IllegalStateException(e);
        }
    }

    private void echo(ServerRequest request, TypeCode type) {
        NVList arguments = orb.create_list(0);
        Any a = orb.create_any();
        Any b = orb.create_any();
        Any c = orb.create_any();
        a.type(type);
        b.type(type);
        c.type(type);
        arguments.add_value("a", a, ARG_IN.value);
        arguments.add_value("b", b, ARG_INOUT.value);
        arguments.add_value("c", c, ARG_OUT.value);
        request.arguments(arguments);
        behaviour.nothing();
        Any result = orb.create_any();
        result.read_value(b.create_input_stream(), type);
        b.read_value(a.create_input_stream(), type);
        c.read_value(a.create_input_stream(), type);
        request.set_result(result);
    }

    private void run(ServerRequest request, Any result) throws UserException {
        switch (request.operation()) {
            case "_get_title" -> result.insert_string(without(request).title());
            case "_set_title" ->
                behaviour.title(in(request, TCKind.tk_string).get(0).extract_string());
            case "_get_wideTitle" -> result.insert_wstring(without(request).wideTitle());
            case "_set_wideTitle" ->
                behaviour.wideTitle(in(request, TCKind.tk_wstring).get(0).extract_wstring());
            case "_get_callCount" -> result.insert_long(without(request).callCount());
            case "note" -> behaviour.note(in(request, TCKind.tk_string).get(0).extract_string());
            case "count" ->
                result.insert_long(
                        behaviour.count(in(request, TCKind.tk_long).get(0).extract_long()));
            case "slow" -> {
                List<Any> in = in(request, TCKind.tk_long, TCKind.tk_long);
                result.insert_long(
                        behaviour.slow(in.get(0).extract_long(), in.get(1).extract_long()));
            }
            case "state" -> result.insert_string(without(request).state());
            case "nothing" -> without(request).nothing();
            case "fail" -> {
                List<Any> in = in(request, TCKind.tk_long, TCKind.tk_string);
                behaviour.fail(in.get(0).extract_long(), in.get(1).extract_string());
            }
            case "failWithAny" ->
                behaviour.failWithAny(in(request, TCKind.tk_any).get(0).extract_any());
            case "failBySystemException" ->
                behaviour.failBySystemException(
                        in(request, TCKind.tk_long).get(0).extract_long());
            case "failByRuntimeException" -> without(request).failByRuntimeException();
            case "whoAmI" -> result.insert_string(without(request).whoAmI());
            case "myself" -> result.insert_Object(without(request).myself());
            case "mix" -> {
                List<Any> in = in(request, TCKind.tk_octet, TCKind.tk_long, TCKind.tk_string, TCKind.tk_double);
                result.insert_long(behaviour.mix(
                        in.get(0).extract_octet(),
                        in.get(1).extract_long(),
                        in.get(2).extract_string(),
                        in.get(3).extract_double()));
            }
            default -> throw new BAD_OPERATION();
        }
    }

    private MatrixServant without(ServerRequest request) {
        in(request);
        return behaviour;
    }

    private List<Any> in(ServerRequest request, TCKind... kinds) {
        NVList arguments = orb.create_list(0);
        List<Any> values = new java.util.ArrayList<>();
        for (TCKind kind : kinds) {
            Any value = orb.create_any();
            value.type(orb.get_primitive_tc(kind));
            arguments.add_value("", value, ARG_IN.value);
            values.add(value);
        }
        request.arguments(arguments);
        return values;
    }
}
