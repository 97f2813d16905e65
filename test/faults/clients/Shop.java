// Does a shop's work with the client that openapi-generator makes for Java; prints what it saw as JSON.
import java.util.List;
import java.util.Map;
import shop.ApiClient;
import shop.api.*;
import shop.model.*;

public class Shop {
  public static void main(String[] args) throws Exception {
    String template = args[2], number = args[3], anna = "4932000000041", ben = "4932000000042";
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + args[1]));
    ContactsApi contacts = new ContactsApi(client);
    MessagesApi messages = new MessagesApi(client);
    BroadcastsApi broadcasts = new BroadcastsApi(client);
    TicketsApi tickets = new TicketsApi(client);

    ContactsImportBody rows = new ContactsImportBody().contacts(List.of(
        Map.of("phone", "+" + anna, "name", "Anna", "tags", List.of("java", "x")),
        Map.of("phone", "+" + ben, "name", "Ben")));
    ImportResult imported = contacts.contactsImport(rows, null);
    contacts.contactsUpdate(ben, new ContactsUpdateBody()
        .convStatus(ContactsUpdateBody.ConvStatusEnum.RESOLVED).assignedMember(Long.valueOf(args[4])), null);
    ContactState left = contacts.contactsUpdate(ben, new ContactsUpdateBody().assignedMember(null), null);
    ContactPage found = contacts.contactsList(null, "java", List.of("open", "resolved"), null, null, null, null, null,
        null, null, null, null, null, null, null);

    TemplateVariables variables = new TemplateVariables()
        .putBodyItem("1", new VariableSource().source(VariableSource.SourceEnum.FIELD)
            .field(VariableSource.FieldEnum.NAME))
        .putBodyItem("2", new VariableSource().source(VariableSource.SourceEnum.STATIC).value("today"));
    MessagesCreateBody message = new MessagesCreateBody().to("+" + anna).phoneNumberId(number).templateId(template)
        .templateVariables(variables);
    Message sent = messages.messagesCreate(message, "java-order-1");
    Message again = messages.messagesCreate(message, "java-order-1");
    MessagePage listed = messages.messagesList(anna, null, null, null, null);

    Broadcast draft = broadcasts.broadcastsCreate(new BroadcastsCreateBody().name("News").templateId(template)
        .phoneNumberId(number).audience(new Audience().tagsAny(List.of("java"))).templateVariables(variables), null);
    BroadcastPreview preview = broadcasts.broadcastsPreview(draft.getId());
    Broadcast confirmed = broadcasts.broadcastsConfirm(draft.getId(), new BroadcastsConfirmBody(), null);

    for (String kind : List.of("bug", "other", "refund"))
      tickets.ticketsCreate(new TicketsCreateBody().title("Broken " + kind)
          .type(TicketsCreateBody.TypeEnum.fromValue(kind)).receiverId(anna), null);
    List<Ticket> mine = tickets.ticketsList(null, null, null, null, null, null, anna, null, null, null, null,
        List.of("bug", "other"), null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    System.out.println(client.getObjectMapper().writeValueAsString(Map.of(
        "imported", List.of(imported.getCreated(), imported.getErrors().size()),
        "unassigned", String.valueOf(left.getAssignedMember()),
        "found", found.getResults().stream().map(Contact::getName).toList(),
        "same", again.getId().equals(sent.getId()),
        "listed", listed.getResults().stream().map(one -> one.getId().equals(sent.getId())).toList(),
        "broadcast", List.of(preview.getAudience(), preview.getSendable(), confirmed.getId().equals(draft.getId())),
        "tickets", mine.stream().map(Ticket::getTitle).sorted().toList())));
  }
}
