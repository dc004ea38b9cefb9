// A client of omniORB that knows nothing of amo: client REFERENCE ACCOUNT CALLS. Says "balance N" after each deposit that
// was answered and "maybe" for one that was not, and goes on.
#include <cstdlib>
#include <iostream>
#include "bank.hh"

int main(int argc, char** argv) {
    try {
        CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
        CORBA::Object_var object = orb->string_to_object(argv[1]);
        bankidl::Bank_var bank = bankidl::Bank::_narrow(object);
        for (int i = atoi(argv[3]); i > 0; i--) {
            try {
                CORBA::LongLong balance = bank->deposit(argv[2], 1);
                std::cout << "balance " << balance << std::endl;
            } catch (const CORBA::COMM_FAILURE&) {
                std::cout << "maybe" << std::endl;
            }
        }
        std::cout << "done" << std::endl;
        orb->destroy();
        return 0;
    } catch (const CORBA::Exception& e) {
        std::cerr << e._name() << std::endl;
        return 1;
    }
}
