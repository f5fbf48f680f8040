// Names that do not fit into a column.
#include <assert.h>
#include <pthread.h>

struct configuration_of_the_telephone_exchange {
    int number_of_currently_connected_subscribers[4];
};

static struct configuration_of_the_telephone_exchange international_telephone_exchange;

static void *connect_one_more_subscriber_to_the_exchange(void *arg) {
    (void)arg;
    international_telephone_exchange.number_of_currently_connected_subscribers[3]++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, connect_one_more_subscriber_to_the_exchange, 0);
    pthread_create(&b, 0, connect_one_more_subscriber_to_the_exchange, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(international_telephone_exchange.number_of_currently_connected_subscribers[3] == 2); //~ VIOLATION: assertion
    return 0;
}
