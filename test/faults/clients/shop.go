// Does a shop's work with the client that openapi-generator makes for Go; prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"

	shop "example.test/shop"
)

func ok[T any](value T, answer any, err error) T {
	if err != nil {
		panic(fmt.Sprint(err, " ", answer))
	}
	return value
}

func main() {
	url, token, template, number := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	member, _ := strconv.ParseInt(os.Args[5], 10, 64)
	config := shop.NewConfiguration()
	config.Servers = shop.ServerConfigurations{{URL: url}}
	client := shop.NewAPIClient(config)
	ctx := context.WithValue(context.Background(), shop.ContextAccessToken, token)
	contacts, messages := client.ContactsAPI, client.MessagesAPI

	rows := shop.NewContactsImportBody()
	rows.SetContacts([]map[string]interface{}{
		{"phone": "+4932000000031", "name": "Anna", "tags": []string{"go", "x"}},
		{"phone": "+4932000000032", "name": "Ben"},
	})
	imported := ok(contacts.ContactsImport(ctx).ContactsImportBody(*rows).Execute())
	change := shop.NewContactsUpdateBody()
	change.SetConvStatus("resolved")
	change.SetAssignedMember(member)
	ok(contacts.ContactsUpdate(ctx, "4932000000032").ContactsUpdateBody(*change).Execute())
	unassign := shop.NewContactsUpdateBody()
	unassign.SetAssignedMemberNil()
	left := ok(contacts.ContactsUpdate(ctx, "4932000000032").ContactsUpdateBody(*unassign).Execute())
	found := ok(contacts.ContactsList(ctx).Search("4932000000").ConvStatus([]string{"open", "resolved"}).Tag("go").Execute())

	field, text := "name", "today"
	variables := shop.TemplateVariables{Body: map[string]shop.VariableSource{
		"1": {Source: "field", Field: &field}, "2": {Source: "static", Value: &text},
	}}
	message := shop.NewMessagesCreateBody("+4932000000031")
	message.SetPhoneNumberId(number)
	message.SetTemplateId(template)
	message.SetTemplateVariables(variables)
	send := messages.MessagesCreate(ctx).MessagesCreateBody(*message).IdempotencyKey("go-order-1")
	sent, again := ok(send.Execute()), ok(send.Execute())
	listed := ok(messages.MessagesList(ctx, "4932000000031").Execute())

	body := shop.NewBroadcastsCreateBody("News", template, shop.Audience{TagsAny: []string{"go"}})
	body.SetPhoneNumberId(number)
	body.SetTemplateVariables(variables)
	draft := ok(client.BroadcastsAPI.BroadcastsCreate(ctx).BroadcastsCreateBody(*body).Execute())
	preview := ok(client.BroadcastsAPI.BroadcastsPreview(ctx, draft.Id).Execute())
	confirmed := ok(client.BroadcastsAPI.BroadcastsConfirm(ctx, draft.Id).BroadcastsConfirmBody(*shop.NewBroadcastsConfirmBody()).Execute())

	for _, kind := range []string{"bug", "other", "refund"} {
		ticket := shop.NewTicketsCreateBody("Broken " + kind)
		ticket.SetType(kind)
		ticket.SetReceiverId("4932000000031")
		ok(client.TicketsAPI.TicketsCreate(ctx).TicketsCreateBody(*ticket).Execute())
	}
	mine := ok(client.TicketsAPI.TicketsList(ctx).Type_([]string{"bug", "other"}).ReceiverId("4932000000031").Execute())
	titles := []string{}
	for _, ticket := range mine {
		titles = append(titles, ticket.Title)
	}
	sort.Strings(titles)
	names := []string{}
	for _, contact := range found.Results {
		names = append(names, contact.Name)
	}
	out, _ := json.Marshal(map[string]any{
		"imported":   []any{imported.Created, len(imported.Errors)},
		"unassigned": left.AssignedMember.Get(),
		"found":      names,
		"same":       again.Id == sent.Id,
		"listed":     []bool{listed.Results[0].Id == sent.Id},
		"broadcast":  []any{preview.Audience, preview.Sendable, confirmed.Id == draft.Id},
		"tickets":    titles,
	})
	fmt.Println(string(out))
}
