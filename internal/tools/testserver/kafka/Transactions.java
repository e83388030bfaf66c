import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Writes 30 transactions of three records each to partition 0 of a topic, from two
 * producers whose transactions overlap, and aborts every third one. It prints one line
 * per record in the order of the log: "committed VALUE" or "aborted VALUE".
 *
 * Usage: java -cp 'libs/*' Transactions.java BROKER TOPIC
 */
public class Transactions {
    public static void main(String[] args) throws Exception {
        TreeMap<Long, String> log = new TreeMap<>();
        try (KafkaProducer<String, String> one = producer(args[0], "one");
                KafkaProducer<String, String> two = producer(args[0], "two")) {
            for (int i = 0; i < 30; i += 2) {
                List<Future<RecordMetadata>> first = new ArrayList<>(), second = new ArrayList<>();
                one.beginTransaction();
                two.beginTransaction();
                for (int j = 0; j < 3; j++) {
                    first.add(one.send(new ProducerRecord<>(args[1], 0, "key", i + "-" + j)));
                    one.flush();
                    second.add(two.send(new ProducerRecord<>(args[1], 0, "key", (i + 1) + "-" + j)));
                    two.flush();
                }
                end(one, i, first, log);
                end(two, i + 1, second, log);
            }
        }
        log.values().forEach(System.out::println);
    }

    static KafkaProducer<String, String> producer(String broker, String id) {
        Properties p = new Properties();
        p.put("bootstrap.servers", broker);
        p.put("transactional.id", id);
        p.put("key.serializer", StringSerializer.class.getName());
        p.put("value.serializer", StringSerializer.class.getName());
        KafkaProducer<String, String> producer = new KafkaProducer<>(p);
        producer.initTransactions();
        return producer;
    }

    static void end(KafkaProducer<String, String> producer, int i, List<Future<RecordMetadata>> sent, TreeMap<Long, String> log)
            throws Exception {
        boolean abort = i % 3 == 1;
        for (int j = 0; j < sent.size(); j++) {
            log.put(sent.get(j).get().offset(), (abort ? "aborted " : "committed ") + i + "-" + j);
        }
        if (abort) {
            producer.abortTransaction();
        } else {
            producer.commitTransaction();
        }
    }
}
