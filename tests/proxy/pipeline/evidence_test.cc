int x_respond_placeholder();
