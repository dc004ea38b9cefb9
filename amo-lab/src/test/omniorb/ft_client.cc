// A client of omniORB that sends FT_REQUEST, and lets omniORB repeat what broke off: ft_client AT_A AT_B CUT_THEN_B ACCOUNT.
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <string>
#include <omniORB4/omniInterceptors.h>
#include "bank.hh"

namespace {
const CORBA::ULong FT_REQUEST = 13;
// 15 October 1582 to 1 January 1970 in units of 100 ns.
const unsigned long long EPOCH = 0x01B21DD213814000ULL;

// One logical call, however often it is sent. All three are the same in every copy.
std::string clientId;
unsigned int retentionId = 0;
unsigned long long expiration = 0;
int copies = 0;

void number(std::string& out, unsigned long long value, int size) {
    out.append((size - out.size() % size) % size, '\0');
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
        out.push_back((char) (value >> shift));
    }
}

// octet byte order, string client_id, long retention_id, unsigned long long expiration_time; big-endian.
std::string ftRequest() {
    std::string out(1, '\0');
    number(out, clientId.size() + 1, 4);
    out.append(clientId).push_back('\0');
    number(out, retentionId, 4);
    number(out, expiration, 8);
    return out;
}

CORBA::Boolean addFtRequest(omni::omniInterceptors::clientSendRequest_T::info_T& info) {
    if (retentionId != 0) {
        copies++;
        std::string encoded = ftRequest();
        CORBA::ULong last = info.service_contexts.length();
        info.service_contexts.length(last + 1);
        info.service_contexts[last].context_id = FT_REQUEST;
        info.service_contexts[last].context_data.length(encoded.size());
        memcpy(info.service_contexts[last].context_data.get_buffer(), encoded.data(), encoded.size());
    }
    return 1;
}

CORBA::Boolean again(void*, CORBA::ULong retries, const CORBA::COMM_FAILURE&) {
    return retries < 10;
}

void nextCall(int seconds) {
    retentionId++;
    copies = 0;
    expiration = EPOCH + 10000000ULL * (time(0) + seconds);
}

bankidl::Bank_ptr bankAt(CORBA::ORB_ptr orb, const char* reference) {
    CORBA::Object_var object = orb->string_to_object(reference);
    return bankidl::Bank::_unchecked_narrow(object);
}
}

int main(int argc, char** argv) {
    try {
        CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
        omniORB::getInterceptors()->clientSendRequest.add(addFtRequest);
        omniORB::installCommFailureExceptionHandler(0, again);
        bankidl::Bank_var atA = bankAt(orb, argv[1]);
        bankidl::Bank_var atB = bankAt(orb, argv[2]);
        bankidl::Bank_var cut = bankAt(orb, argv[3]);
        clientId = std::string("omniORB ") + argv[4] + " " + std::to_string(time(0));

        nextCall(30);
        std::cout << "one after the other: " << atA->deposit(argv[4], 5) << " " << atB->deposit(argv[4], 5) << std::endl;
        try {
            atB->deposit(argv[4], 6);
            std::cout << "another body: not refused" << std::endl;
        } catch (const CORBA::BAD_PARAM&) {
            std::cout << "another body: BAD_PARAM" << std::endl;
        }

        nextCall(30);
        CORBA::LongLong balance = cut->deposit(argv[4], 7);
        std::cout << "reply lost: " << balance << " " << (copies > 1 ? "repeated" : "sent once") << std::endl;

        nextCall(-5);
        try {
            atA->deposit(argv[4], 100);
            std::cout << "expired: not refused" << std::endl;
        } catch (const CORBA::TIMEOUT&) {
            std::cout << "expired: TIMEOUT" << std::endl;
        }
        retentionId = 0;
        bankidl::LedgerLine_var line = atA->book(argv[4]);
        std::cout << "ledger: " << line->deposits << " " << line->deposited << std::endl;
        orb->destroy();
        return 0;
    } catch (const CORBA::Exception& e) {
        std::cerr << e._name() << std::endl;
        return 1;
    }
}
